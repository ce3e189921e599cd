#include "lap/suggested_pattern.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "lap/learned_lines.h"
#include "lap/output_line.h"

namespace lapcast {
namespace {

struct SeenLine {
  std::string_view line;
  std::vector<std::size_t> begins;  // of its whole numbers
};

/// Returns how many blanks stand before a place of a line.
std::size_t blanks_before(std::string_view line, std::size_t at) {
  const std::size_t last = line.substr(0, at).find_last_not_of(' ');
  return last == std::string_view::npos ? at : at - last - 1;
}

/// Returns the words of a line between the number before a place and that place as an expression.
/// Programs pad their numbers with blanks: any number of them fits.
std::string words_before(std::string_view line, std::size_t at) {
  constexpr std::size_t kMostWords = 40;  // characters that say which line it is
  constexpr std::string_view kSpecial = R"(\.+*?()|[]{}^$)";
  std::string words;
  for (std::size_t i = at; i > 0 && at - i < kMostWords;) {
    const char c = line[--i];
    if (c >= '0' && c <= '9') break;
    std::string piece(1, c);
    if (const std::size_t blanks = blanks_before(line, i + 1); blanks > 1) {
      piece = i + 1 == at ? " *" : " +";
      i -= blanks - 1;
    } else if (kSpecial.find(c) != std::string_view::npos) {
      piece.insert(piece.begin(), '\\');
    }
    words.insert(0, piece);
  }
  return words;
}

/// Returns which steps a pattern catches in lines; nothing where these do not grow.
std::optional<Suggestion> tried(std::string expression, const std::vector<std::string>& lines) {
  const auto pattern = LinePattern::of(expression);
  if (!pattern) return std::nullopt;
  Suggestion suggestion{std::move(expression), 0, -1, -1};
  for (const std::string& line : lines) {
    const auto counters = pattern->match(line);
    if (!counters || !counters->step) continue;
    if (*counters->step <= suggestion.last) return std::nullopt;
    if (suggestion.lines++ == 0) suggestion.first = *counters->step;
    suggestion.last = *counters->step;
  }
  if (suggestion.lines < 2) return std::nullopt;
  return suggestion;
}

}  // namespace

std::optional<Suggestion> suggested_pattern(const std::vector<std::string>& lines) {
  std::map<std::string, std::vector<SeenLine>> alike;  // by their text
  for (const std::string& line : lines) {
    LineTemplate made = line_template(line);
    if (!made.begins.empty()) alike[std::move(made.text)].push_back({line, std::move(made.begins)});
  }
  const std::vector<SeenLine>* most = nullptr;
  for (const auto& [text, seen] : alike)
    if (seen.size() >= 2 && (most == nullptr || seen.size() > most->size())) most = &seen;
  if (most == nullptr) return std::nullopt;
  for (std::size_t number = 0; number < most->front().begins.size(); ++number) {
    const auto padded = std::ranges::max_element(*most, {}, [number](const SeenLine& seen) {
      return blanks_before(seen.line, seen.begins[number]);
    });
    std::string expression = words_before(padded->line, padded->begins[number]);
    if (auto suggestion = tried(expression + R"((?P<step>\d+))", lines)) return suggestion;
  }
  return std::nullopt;
}

}  // namespace lapcast
