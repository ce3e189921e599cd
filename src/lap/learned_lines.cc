#include "lap/learned_lines.h"

#include <re2/re2.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <utility>

#include "lap/table_head.h"

namespace lapcast {
namespace {

constexpr std::size_t kLongestLine = 512;
constexpr std::size_t kMostDigits = 15;
constexpr std::size_t kFewestWithoutTotal = 6;  // lines
constexpr double kMostlySame = 0.8;             // share of the growths that are the usual one

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Reads a token that begins with a digit.
class NumberToken {
 public:
  explicit NumberToken(std::string_view text) : text_(text) {
    digits_ = count_digits(0);
    end_ = digits_;
    is_whole_ = digits_ <= kMostDigits && !takes_fraction() && !takes_clock() && !takes_date() &&
                !takes_exponent();
  }
  std::size_t size() const { return end_; }
  bool is_whole() const { return is_whole_; }
  std::int64_t value() const {
    std::int64_t number = 0;
    std::from_chars(text_.data(), text_.data() + digits_, number);
    return number;
  }

 private:
  char at(std::size_t i) const { return i < text_.size() ? text_[i] : '\0'; }
  std::size_t count_digits(std::size_t from) const {
    std::size_t end = from;
    while (is_digit(at(end))) ++end;
    return end - from;
  }
  bool takes_exponent() {
    if (at(end_) != 'e' && at(end_) != 'E') return false;
    const std::size_t sign = at(end_ + 1) == '-' || at(end_ + 1) == '+' ? 1 : 0;
    const std::size_t digits = count_digits(end_ + 1 + sign);
    if (digits == 0) return false;
    end_ += 1 + sign + digits;
    return true;
  }
  bool takes_fraction() {  // also versions and addresses
    while (at(end_) == '.' && is_digit(at(end_ + 1))) end_ += 1 + count_digits(end_ + 1);
    if (end_ == digits_) return false;
    takes_exponent();
    return true;
  }
  bool takes_clock() {
    while (at(end_) == ':' && count_digits(end_ + 1) == 2) end_ += 3;
    if (end_ == digits_) return false;
    if ((at(end_) == '.' || at(end_) == ',') && is_digit(at(end_ + 1)))
      end_ += 1 + count_digits(end_ + 1);
    return true;
  }
  bool takes_date() {
    const char mark = at(end_);
    if (digits_ != 4 || (mark != '-' && mark != '/') || count_digits(end_ + 1) != 2 ||
        at(end_ + 3) != mark || count_digits(end_ + 4) != 2)
      return false;
    end_ += 6;
    return true;
  }

  std::string_view text_;
  std::size_t digits_ = 0;
  std::size_t end_ = 0;
  bool is_whole_ = false;
};

bool has_word(std::string_view text, const RE2& words) {
  return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), words);
}

bool counts_training(std::string_view text) {
  static const RE2 words(
      R"((?i)(?:epoch|iter|step|batch|train|updat|loss|learn|grad|perplex|\blr\b|acc))",
      RE2::Latin1);
  static const RE2 others(
      R"((?i)(?:download|upload|copy|install|compil|build|link|extract|fetch|request|http|pull|push|)"
      R"(cache|scan|index|prepar|preprocess|tokeniz|files\b))",
      RE2::Latin1);
  static const RE2 docker(R"(^Step#/#:[A-Z]{3})", RE2::Latin1);  // "Step 3/12 : RUN make"
  return has_word(text, words) && !has_word(text, others) && !has_word(text, docker);
}

bool names_validation(std::string_view text) {
  static const RE2 words(R"((?i)(?:^|[^a-z])(?:val|valid|validation|validating|eval|evaluation|)"
                         R"(evaluating|test|testing|dev)(?:$|[^a-z]))",
                         RE2::Latin1);
  return has_word(text, words);
}

/// Returns the text between two numbers of a template.
std::string_view between(const LineTemplate& line, std::size_t first) {
  const std::size_t begin = line.places[first] + 1;
  return std::string_view(line.text).substr(begin, line.places[first + 1] - begin);
}

/// Returns whether the number of that index is followed by another one that stays and bounds it.
bool has_total(const std::vector<LineTemplate>& lines, std::size_t index) {
  if (index + 1 >= lines.front().numbers.size()) return false;
  const std::string_view mark = between(lines.front(), index);
  if (mark != "/" && mark != "of" && mark != "|") return false;
  const std::int64_t total = lines.front().numbers[index + 1];
  return std::ranges::all_of(lines, [&](const LineTemplate& line) {
    return line.numbers[index + 1] == total && line.numbers[index] <= total;
  });
}

/// Describes how a number goes from line to line.
struct Growth {
  std::size_t grows = 0, falls = 0;
  bool is_steady = false;  // it grows mostly by as much
  bool is_even = false;    // it grows always by as much

  Growth(const std::vector<LineTemplate>& lines, std::size_t index) {
    std::map<std::int64_t, std::size_t> growths;
    for (std::size_t i = 1; i < lines.size(); ++i) {
      const std::int64_t growth = lines[i].numbers[index] - lines[i - 1].numbers[index];
      if (growth > 0) ++grows, ++growths[growth];
      if (growth < 0) ++falls;
    }
    std::size_t most = 0;
    for (const auto& [growth, count] : growths) most = std::max(most, count);
    is_steady = static_cast<double>(most) >= kMostlySame * static_cast<double>(grows);
    is_even = falls == 0 && most == grows && grows + 1 == lines.size();
  }
};

}  // namespace

LineTemplate line_template(std::string_view line) {
  line = line.substr(0, kLongestLine);
  LineTemplate result;
  for (std::size_t i = 0; i < line.size();) {
    const char c = line[i];
    if (is_digit(c)) {
      const NumberToken token(line.substr(i));
      if (token.is_whole()) {
        result.numbers.push_back(token.value());
        result.places.push_back(result.text.size());
        result.begins.push_back(i);
      }
      result.text += token.is_whole() ? '#' : '~';
      i += token.size();
      continue;
    }
    if (std::isspace(static_cast<unsigned char>(c)) == 0) result.text += c;
    ++i;
  }
  return result;
}

/// Returns whether the words between the number before and this one, or the begin, say epoch.
bool LearnedLines::names_epoch(const LineTemplate& line, std::size_t index) {
  static const RE2 word(R"((?i)\bep(?:och)?[^#~]*$)", RE2::Latin1);
  return has_word(std::string_view(line.text).substr(0, line.places[index]), word);
}

/// Finds the number that counts epochs: it grows by one where the steps fall, or, while they have
/// not fallen yet, stays behind the word.
void LearnedLines::find_epoch(Form& form, const Lines& lines) {
  for (std::size_t index = 0; index < lines.front().numbers.size(); ++index) {
    if (index == *form.step || index == form.steps) continue;
    bool counts = true, grew = false;
    for (std::size_t i = 1; i < lines.size() && counts; ++i) {
      const bool fell = lines[i].numbers[*form.step] < lines[i - 1].numbers[*form.step];
      const std::int64_t growth = lines[i].numbers[index] - lines[i - 1].numbers[index];
      counts = growth == (fell ? 1 : 0);
      grew = grew || fell;
    }
    if (!counts || (!grew && !names_epoch(lines.front(), index))) continue;
    form.epoch = index;
    if (index + 1 < *form.step && has_total(lines, index)) form.epochs = index + 1;
    return;
  }
}

std::optional<LearnedLines::Form> LearnedLines::form_of(const std::string& text,
                                                        const Lines& lines) {
  if (lines.size() < kFewestLines || !counts_training(text)) return std::nullopt;
  std::optional<Form> best;
  std::size_t most = 0;
  for (std::size_t index = 0; index < lines.front().numbers.size(); ++index) {
    if (!has_total(lines, index) || names_epoch(lines.front(), index)) continue;
    const Growth growth(lines, index);
    const bool counts = growth.is_steady && growth.grows >= kFewestLines - 1 &&
                        2 * growth.falls <= growth.grows && growth.grows > most;
    if (!counts) continue;
    most = growth.grows;
    best = Form{text, index, index + 1, std::nullopt, std::nullopt, names_validation(text)};
  }
  if (!best) return form_without_total(text, lines);
  find_epoch(*best, lines);
  return best;
}

std::optional<LearnedLines::Form> LearnedLines::form_without_total(const std::string& text,
                                                                   const Lines& lines) {
  if (lines.size() < kFewestWithoutTotal) return std::nullopt;
  for (std::size_t index = 0; index < lines.front().numbers.size(); ++index) {
    const std::size_t place = lines.front().places[index];
    const bool is_alone =
        place == 0 || (text[place - 1] == '[' && place + 1 < text.size() && text[place + 1] == ']');
    if (is_alone && text.find('~', place) != text.npos && Growth(lines, index).is_even)
      return Form{text, index, {}, std::nullopt, std::nullopt, names_validation(text)};
  }
  return std::nullopt;
}

bool LearnedLines::names_columns(std::string_view line) {
  line = line.substr(0, kLongestLine);
  return has_columns(line) && counts_training(line);
}

/// Finds the column that counts steps, or else epochs; `columns` names that of each number.
std::optional<LearnedLines::Form> LearnedLines::form_of_table(
    const std::string& text, const Lines& lines, const std::vector<std::string>& columns) {
  static const RE2 others(R"((?i)ep(?:och)?s?|e|.*(?:epoch|time|sec|elapsed|dur|min\b|date).*)");
  static const RE2 epochs(R"((?i)epochs?)");
  if (lines.size() < kFewestLines || text.find('~') == text.npos) return std::nullopt;
  std::optional<Form> of_epochs;
  for (std::size_t index = 0; index < columns.size(); ++index) {
    const Growth growth(lines, index);
    if (growth.is_even && lines[1].numbers[index] == lines[0].numbers[index] + 1 &&
        RE2::FullMatch(columns[index], epochs))
      of_epochs = Form{text, {}, {}, index, std::nullopt, false};
    const bool is_long = lines.size() >= kFewestWithoutTotal;
    const bool counts = growth.is_steady && growth.falls == 0 && growth.grows + 1 == lines.size();
    if (is_long && counts && !columns[index].empty() && !RE2::FullMatch(columns[index], others))
      return Form{text, index, {}, std::nullopt, std::nullopt, false};
  }
  return of_epochs;
}

std::optional<LearnedLines> LearnedLines::of(const std::vector<std::string>& lines) {
  std::map<std::string, Lines> alike;
  std::map<std::string, std::vector<std::string>> tables;  // the columns of lines of numbers
  TableHead head;
  for (const std::string& line : lines) {
    head.take(line, names_columns(line));
    LineTemplate made = line_template(line);
    if (made.numbers.empty()) continue;
    const bool has_letters = std::ranges::any_of(
        made.text, [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; });
    if (!has_letters && !tables.contains(made.text))
      if (auto columns = head.columns_at(line, made.begins); !columns.empty())
        tables.emplace(made.text, std::move(columns));
    alike[made.text].push_back(std::move(made));
  }
  LearnedLines learned;
  for (const auto& [text, same] : alike) {
    const auto table = tables.find(text);
    const auto form =
        table == tables.end() ? form_of(text, same) : form_of_table(text, same, table->second);
    if (!form) continue;
    learned.forms_.push_back(*form);
    if (!form->is_validation) learned.lines_ += same.size();
  }
  if (learned.lines_ == 0) return std::nullopt;
  return learned;
}

bool LearnedLines::counts_epochs_alone() const {
  return std::ranges::none_of(forms_, [](const Form& form) { return form.step.has_value(); });
}

/// Returns the counters of a line that was not learned, because its first validation came later:
/// the last "#/#" before a fraction, where a word tells that it is of a validation.
std::optional<LineCounters> LearnedLines::validation_counters(const LineTemplate& line) {
  if (!names_validation(line.text)) return std::nullopt;
  const std::size_t end = line.text.find('~', line.places.empty() ? 0 : line.places.front());
  LineCounters counters;
  for (std::size_t index = 0; index + 1 < line.numbers.size(); ++index) {
    if (line.places[index + 1] > end || between(line, index) != "/") continue;
    counters.step = line.numbers[index];
    counters.steps = line.numbers[index + 1];
  }
  if (!counters.step || *counters.step > *counters.steps) return std::nullopt;
  counters.is_validation = true;
  return counters;
}

std::optional<LineCounters> LearnedLines::validation_in(std::string_view line) {
  return names_validation(line) ? validation_counters(line_template(line)) : std::nullopt;
}

std::optional<LineCounters> LearnedLines::match(std::string_view line) const {
  const LineTemplate made = line_template(line);
  const auto form = std::ranges::find(forms_, made.text, &Form::text);
  if (form == forms_.end()) return validation_counters(made);
  LineCounters counters;
  if (form->step) counters.step = made.numbers[*form->step];
  if (form->steps) counters.steps = made.numbers[*form->steps];
  if (form->epoch && !form->is_validation) counters.epoch = made.numbers[*form->epoch];
  if (form->epochs && !form->is_validation) counters.epochs = made.numbers[*form->epochs];
  counters.is_validation = form->is_validation;
  counters.has_fraction = made.text.find('~') != std::string::npos;
  return counters;
}

}  // namespace lapcast
