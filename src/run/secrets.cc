#include "run/secrets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>
#include <variant>

#include "core/units.h"
#include "run/text_bytes.h"

namespace lapcast {
namespace {

using NameWords = std::vector<std::string>;

constexpr std::size_t kLeastValue = 8;  // bytes: a shorter one may stand in a text by chance

bool is_alnum(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_upper(char c) {
  return std::isupper(static_cast<unsigned char>(c)) != 0;
}
bool is_space(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}

/// Splits "--dbPassword_2" into {"db", "password", "2"}, "HF_TOKEN" into {"hf", "token"}.
NameWords words_of(std::string_view name) {
  NameWords words;
  bool open = false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const char before = i > 0 ? name[i - 1] : ' ';
    const bool hump = (is_upper(c) && is_alnum(before) && !is_upper(before)) ||
                      (is_digit(c) && is_alnum(before) && !is_digit(before));
    if (!is_alnum(c)) {
      open = false;
      continue;
    }
    if (!open || hump) words.emplace_back();
    open = true;
    words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return words;
}

bool is_one_of(const std::string& word, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

bool ends_with_secret_word(const std::string& word) {
  for (const std::string_view end :
       {"password", "passwd", "passphrase", "secret", "apikey", "authtoken", "accesstoken"})
    if (word.ends_with(end)) return true;
  return is_one_of(word, {"pwd", "secrets", "credential", "credentials", "auth", "authorization",
                          "cookie", "dsn", "bearer"});
}

/// Returns whether the words up to `end` are the name of a secret.
bool names_secret(const NameWords& words, std::size_t end) {
  const std::string& last = words[end - 1];
  const std::string before = end > 1 ? words[end - 2] : "";
  if (ends_with_secret_word(last)) return true;
  if (last == "token")  // of tokenizers: "--pad-token"
    return !is_one_of(before,
                      {"pad", "eos", "bos", "unk", "mask", "sep", "cls", "start", "end", "stop",
                       "special", "image", "next", "new", "per", "max", "min", "num", "n"});
  if (last == "key")
    return is_one_of(before, {"api", "private", "access", "secret", "signing", "encryption",
                              "account", "auth", "session", "license"});
  return last == "string" && before == "connection";
}

std::vector<NameWords>& more_patterns() {
  static std::vector<NameWords> patterns;
  return patterns;
}

/// Returns whether a secret's name stays one when this word follows it: "api_key_value", "token2".
bool is_neutral(const std::string& word) {
  return is_one_of(word, {"value", "text", "id"}) ||
         std::all_of(word.begin(), word.end(), is_digit);
}

/// Masks secrets, and remembers what it masked.
class Masker {
 public:
  std::string text(std::string_view text) {
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t begin = at;
      while (at < text.size() && !is_space(text[at])) ++at;
      result += word(text.substr(begin, at - begin), text, at);
      while (at < text.size() && is_space(text[at])) result += text[at++];
    }
    return result;
  }

  std::vector<std::string> program(std::vector<std::string> words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::size_t equals = words[i].find('=');
      const std::string name = words[i].substr(0, equals);
      if (equals != std::string::npos && is_plain_name(name)) {
        words[i] = name + "=" + value(name, words[i].substr(equals + 1));
      } else if (words[i].starts_with('-') && is_plain_name(words[i]) && is_secret_name(words[i]) &&
                 i + 1 < words.size() && !words[i + 1].starts_with('-')) {
        ++i;
        words[i] = hidden(words[i]);
      } else {
        words[i] = text(words[i]);
      }
    }
    for (std::string& word : words) hide_values(word);
    return words;
  }

  /// Masks all occurrences of the values that were masked so far.
  void hide_values(std::string& text) const {
    for (const std::string& value : values_)
      for (std::size_t at = 0;
           value.size() >= kLeastValue && (at = text.find(value, at)) != text.npos;
           at += kMask.size())
        text.replace(at, value.size(), kMask);
  }

  std::string value(std::string_view name, const std::string& value) {
    return is_secret_name(name) ? hidden(value) : text(value);
  }

  const std::vector<std::string>& values() const { return values_; }

 private:
  static bool is_plain_name(std::string_view name) {
    return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
      return is_alnum(c) || c == '-' || c == '_' || c == '.' || c == '/';
    });
  }

  std::string hidden(std::string_view value) {
    if (value.empty()) return "";
    values_.emplace_back(value);
    return std::string(kMask);
  }

  /// Masks a word of a text; `at` is its end, which is moved when the value continues after it.
  std::string word(std::string_view word, std::string_view text, std::size_t& at) {
    std::size_t begin = word.find('=');
    if (begin == std::string_view::npos) return without_value(word, text, at);
    std::size_t name = begin;
    while (name > 0 && is_plain_name(word.substr(name - 1, 1))) --name;
    if (name == begin || !is_secret_name(word.substr(name, begin - name)))
      return url(word.substr(0, begin + 1)) + rest_of_word(word.substr(begin + 1));
    const std::string head = url(word.substr(0, ++begin));
    std::string_view value = word.substr(begin);
    if (value.empty()) return head;
    if (value[0] == '\'' || value[0] == '"') {
      const std::size_t open = at - word.size() + begin;
      const std::size_t close = std::min(text.find(value[0], open + 1), text.size() - 1);
      at = std::max(at, close + 1);
      return head + hidden(text.substr(open, at - open));
    }
    const std::size_t end = std::min(value.find_first_of(";&'\"`)"), value.size());
    return head + hidden(value.substr(0, end)) + rest_of_word(value.substr(end));
  }

  /// Masks what follows in the same word: "a=1&token=x".
  std::string rest_of_word(std::string_view rest) {
    std::size_t end = rest.size();
    return rest.find('=') == std::string_view::npos ? url(rest) : word(rest, rest, end);
  }

  std::string without_value(std::string_view word, std::string_view text, std::size_t& at) {
    const bool is_name = (word.starts_with("--") && is_secret_name(word)) || word == "Bearer" ||
                         word == "bearer" || word == "Basic";
    const std::size_t begin = std::min(text.find_first_not_of(" \t", at), text.size());
    if (!is_name || begin == at || begin == text.size() || text[begin] == '-' ||
        is_space(text[begin]))
      return url(word);
    const std::size_t end = std::min(text.find_first_of(" \t\r\n'\"", begin), text.size());
    const std::string between(text.substr(at, begin - at));
    at = end;
    return std::string(word) + between + hidden(text.substr(begin, end - begin));
  }

  /// Masks the password of scheme://user:password@host.
  std::string url(std::string_view text) {
    const std::size_t scheme = text.find("://");
    if (scheme == std::string_view::npos) return std::string(text);
    const std::size_t end = std::min(text.find_first_of("/?#", scheme + 3), text.size());
    const std::size_t host = text.substr(0, end).rfind('@');
    const std::size_t colon = text.find(':', scheme + 3);
    if (host == std::string_view::npos || colon == std::string_view::npos || colon > host)
      return std::string(text);
    const std::string password = hidden(text.substr(colon + 1, host - colon - 1));
    return std::string(text.substr(0, colon + 1)) + password + std::string(text.substr(host));
  }

  std::vector<std::string> values_;
};

RunContext masked_by(Masker& masker, RunContext context) {
  const std::vector<std::string> filled = filled_program(context);
  masker.program(filled);  // values that only appear when placeholders are filled
  for (auto& [name, value] : context.settings) value = masker.value(name, value);
  for (auto& [name, value] : context.machine_type.environment) value = masker.value(name, value);
  context.program = masker.program(std::move(context.program));
  for (auto* values : {&context.settings, &context.machine_type.environment})
    for (auto& [name, value] : *values) masker.hide_values(value);
  return context;
}

/// Returns whether laps of a run were queued and their ends never reported: a version that counted
/// them one by one overestimated their precision.
bool has_unknown_ends(const Run& run) {
  return std::ranges::any_of(run.lap_logs, [](const std::string& log) {
    return log.find(" q ") != log.npos && log.find(" ended ") == log.npos;
  });
}

}  // namespace

bool is_secret_name(std::string_view name) {
  const NameWords words = words_of(name);
  for (const NameWords& pattern : more_patterns())
    if (std::search(words.begin(), words.end(), pattern.begin(), pattern.end()) != words.end())
      return true;
  std::size_t end = words.size();
  while (end > 1 && is_neutral(words[end - 1])) --end;
  return end > 0 && names_secret(words, end);
}

void add_secret_patterns(std::string_view patterns) {
  while (!patterns.empty()) {
    const std::size_t comma = std::min(patterns.find(','), patterns.size());
    if (NameWords words = words_of(patterns.substr(0, comma)); !words.empty())
      more_patterns().push_back(std::move(words));
    patterns.remove_prefix(std::min(comma + 1, patterns.size()));
  }
}

std::string masked_text(std::string_view text) {
  return Masker().text(text);
}

std::vector<std::string> masked_program(std::vector<std::string> program) {
  return Masker().program(std::move(program));
}

std::string masked_line(const std::vector<std::string>& program) {
  return fmt::format("{}", fmt::join(masked_program(program), " "));
}

std::string shown_program(const RunContext& context) {
  return masked_line(filled_program(context));
}

std::string masked_value(std::string_view name, const std::string& value) {
  return Masker().value(name, value);
}

RunContext masked(RunContext context) {
  Masker masker;
  return masked_by(masker, std::move(context));
}

Run masked(Run run) {
  Masker masker;
  run.context = masked_by(masker, std::move(run.context));
  std::vector<std::string*> texts{&run.standard_output, &run.standard_error};
  for (std::string& text : run.warnings) texts.push_back(&text);
  for (std::string& text : run.lap_logs) texts.push_back(&text);
  if (auto* no_laps = std::get_if<outcome::NoLaps>(&run.outcome)) texts.push_back(&no_laps->why);
  if (auto* none = std::get_if<outcome::NotStarted>(&run.outcome)) texts.push_back(&none->why);
  if (auto* crash = std::get_if<outcome::Crashed>(&run.outcome); crash && crash->out_of_memory)
    texts.push_back(&crash->out_of_memory->message);
  for (std::string* text : texts) masker.hide_values(*text);
  return run;
}

std::string shown_outcome(const Run& run) {
  const Run shown = masked(run);
  std::string how = describe(shown.outcome);
  const std::size_t precision = precision_at(how);
  if (precision != how.npos && has_unknown_ends(shown)) how.resize(precision);
  const auto* crash = std::get_if<outcome::Crashed>(&shown.outcome);
  const bool is_unexplained = crash != nullptr && !crash->out_of_memory;
  const std::string last = is_unexplained ? last_lines(shown.standard_error, 1) : "";
  return printable(last.empty() ? how : how + ": " + masked_text(last), 500);
}

bool lacks_secrets(const RunContext& context) {
  Masker masker;
  masked_by(masker, context);
  const auto& values = masker.values();
  return std::find(values.begin(), values.end(), kMask) != values.end();
}

}  // namespace lapcast
