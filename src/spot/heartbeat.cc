#include "spot/heartbeat.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace lapcast {
namespace {

constexpr std::size_t kLongestWord = 100;
constexpr std::size_t kMostWords = 9;
/// Limits times to the years 1970 to 2200, and those since a boot to the same length, so that their
/// sums stay in range.
constexpr std::int64_t kLatestNs = 7'258'118'400LL * 1'000'000'000;

using WordReader = std::vector<std::string_view>;

WordReader words_of(std::string_view line) {
  WordReader words;
  while (!line.empty() && words.size() <= kMostWords) {
    const std::size_t end = std::min(line.find(' '), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return words;
}

std::optional<std::int64_t> number(std::string_view word) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  if (value < 0 || value > kLatestNs) return std::nullopt;
  return value;
}

std::optional<Instant> instant(const WordReader& words) {
  const auto utc = number(words[1]);
  const auto boot = number(words[2]);
  if (!utc || !boot) return std::nullopt;
  return Instant{*utc, *boot};
}

std::optional<Heartbeat> parse_begin(const WordReader& words, const Instant& at) {
  const auto every = number(words[5]);
  const bool known = words[8] == "here" || words[8] == "link";
  if (!every || *every == 0 || !known) return std::nullopt;
  return SessionBegin{at,
                      std::string(words[3]),
                      std::string(words[4]),
                      *every,
                      std::string(words[6]),
                      std::string(words[7]),
                      words[8] == "link"};
}

std::optional<Heartbeat> parse_line(std::string_view line) {
  const WordReader words = words_of(line);
  const bool sound = std::all_of(words.begin(), words.end(), [](std::string_view word) {
    return !word.empty() && word.size() <= kLongestWord && heartbeat_word(word) == word;
  });
  if (words.size() < 4 || !sound) return std::nullopt;
  const auto at = instant(words);
  if (!at) return std::nullopt;
  const std::string id(words[3]);  // of a refusal the device
  if (words[0] == "begin" && words.size() == 9) return parse_begin(words, *at);
  if (words[0] == "beat" && words.size() == 5) {
    const auto work = number(words[4]);
    return work ? std::optional<Heartbeat>(SessionBeat{*at, id, *work}) : std::nullopt;
  }
  if (words[0] == "refused" && words.size() == 5)
    return SessionRefused{*at, id, std::string(words[4])};
  if (words.size() != 4) return std::nullopt;
  if (words[0] == "end") return SessionEnd{*at, id};
  if (words[0] == "lost") return SessionLost{*at, id};
  return std::nullopt;
}

std::string line_of(std::string_view what, const Instant& at, std::string_view rest) {
  return fmt::format("{} {} {} {}\n", what, at.utc_ns, at.boot_ns, rest);
}

struct LineWriter {
  std::string operator()(const SessionBegin& begin) const {
    return line_of("begin", begin.at,
                   fmt::format("{} {} {} {} {} {}", begin.id, begin.boot_id, begin.every_ns,
                               begin.device, begin.machine, begin.over_link ? "link" : "here"));
  }
  std::string operator()(const SessionBeat& beat) const {
    return line_of("beat", beat.at, fmt::format("{} {}", beat.id, beat.work));
  }
  std::string operator()(const SessionEnd& end) const { return line_of("end", end.at, end.id); }
  std::string operator()(const SessionLost& lost) const {
    return line_of("lost", lost.at, lost.id);
  }
  std::string operator()(const SessionRefused& refusal) const {
    return line_of("refused", refusal.at, fmt::format("{} {}", refusal.device, refusal.machine));
  }
};

}  // namespace

std::string heartbeat_line(const Heartbeat& heartbeat) {
  return std::visit(LineWriter{}, heartbeat);
}

HeartbeatLog parse_heartbeats(std::string_view text) {
  HeartbeatLog log;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (auto heartbeat = parse_line(line))
      log.heartbeats.push_back(std::move(*heartbeat));
    else if (!line.empty())
      ++log.damaged_lines;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return log;
}

std::string heartbeat_word(std::string_view text) {
  std::string word(text.substr(0, kLongestWord));
  for (char& c : word)
    if (c <= ' ' || c > '~') c = '_';
  return word.empty() ? "-" : word;
}

}  // namespace lapcast
