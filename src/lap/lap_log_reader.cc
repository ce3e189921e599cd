#include "lap/lap_log_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "lap/lap_log_builder.h"
#include "lap/lap_log_format.h"

namespace lapcast {
namespace {

bool take(std::size_t bytes, std::int64_t room, std::int64_t& taken, LineCount& dropped) {
  const auto size = static_cast<std::int64_t>(bytes);
  if (size <= room - taken) {
    taken += size;
    return true;
  }
  ++dropped.lines;
  dropped.bytes += size;
  return false;
}

/// Returns the plain lines of laps; an empty text where the end of one may still become known.
std::string lines_of(std::span<const Lap> laps) {
  std::string lines;
  for (const Lap& lap : laps) {
    if (!lap.finished) return {};
    fmt::format_to(std::back_inserter(lines), "{} i {}\n", lap.end_ns, lap.samples);
  }
  return lines;
}

/// Holds the kept lines of a log. Rows of plain laps have no text: it is rebuilt from the laps.
class KeptText {
 public:
  bool empty() const { return stretches_.empty(); }
  void add(std::string_view lines) {
    open_stretch().lines += lines;
    open_laps_ = 0;
  }
  /// Adds the lines of the last `count` laps.
  void add_laps(std::string_view lines, std::size_t count, std::span<const Lap> laps) {
    Stretch& open = open_stretch();
    if (open_laps_ == 0) open_begin_ = open.lines.size();
    open.lines += lines;
    open_laps_ += count;
    if (open_laps_ < kFewestLaps) return;
    const std::span<const Lap> row = laps.last(open_laps_);
    if (std::string_view(open.lines).substr(open_begin_) == lines_of(row))
      drop_lines_of(laps.size() - row.size(), row.size());
    open_laps_ = 0;
  }
  std::string text(std::span<const Lap> laps) const {
    constexpr std::size_t kLongestLine = 32;
    std::size_t bytes = 0;
    for (const Stretch& each : stretches_) bytes += each.lines.size() + each.laps * kLongestLine;
    std::string text;
    text.reserve(bytes);
    for (const Stretch& stretch : stretches_) {
      text += stretch.lines;
      constexpr std::size_t kAtOnce = 4096;
      for (std::size_t i = 0; i < stretch.laps; i += kAtOnce)
        text += lines_of(laps.subspan(stretch.first_lap + i, std::min(kAtOnce, stretch.laps - i)));
    }
    return text;
  }

 private:
  static constexpr std::size_t kFewestLaps = 64;  // a shorter row keeps its text

  /// Holds lines, and laps whose lines follow them.
  struct Stretch {
    std::string lines;
    std::size_t first_lap = 0;
    std::size_t laps = 0;
  };

  Stretch& open_stretch() {
    if (stretches_.empty() || stretches_.back().laps > 0) {
      stretches_.emplace_back();
      open_laps_ = 0;
    }
    return stretches_.back();
  }
  void drop_lines_of(std::size_t first, std::size_t count) {
    Stretch& open = stretches_.back();
    open.lines.resize(open_begin_);
    Stretch* const before = stretches_.size() > 1 ? &open - 1 : nullptr;
    if (open.lines.empty() && before != nullptr && before->first_lap + before->laps == first) {
      before->laps += count;
      stretches_.pop_back();
      return;
    }
    open.lines.shrink_to_fit();
    open.first_lap = first;
    open.laps = count;
  }

  std::vector<Stretch> stretches_;
  std::size_t open_laps_ = 0;   // at the end of the last stretch, with nothing between their lines
  std::size_t open_begin_ = 0;  // of their lines
};

}  // namespace

static constexpr const char* kLineTooLong = "a line of more than 4096 bytes";

struct LapLogReader::State {
  LapLogBuilder builder;
  KeptLines* kept = nullptr;     // nullptr: all lines count, and no text is kept
  KeptText text;                 // what is kept
  std::size_t kept_laps = 0;     // laps of the lines in text
  std::string unfinished;        // a line whose '\n' has not come; shorter than kMaxLineBytes
  std::int64_t line_offset = 0;  // where the next line begins, or the unfinished one
  bool versioned = false;        // the version line was read
  bool skipping = false;         // within a line that is too long
  bool skipped_is_kept = false;  // its first bytes are in text
  bool ended = false;            // what follows is not read

  void take_bytes(std::string_view bytes);
  std::size_t take_iterations(std::string_view bytes);
  void take_line(std::string_view line);
  void take_event(std::string_view line);
  void take_unfinished(std::string_view bytes);
  void take_version(std::string_view line);
  void begin_long_line(std::string_view bytes);
  void end_long_line(std::string_view rest);
  void damage(const char* what);
  void keep_laps(std::string_view text_of_lines, std::size_t lines);
  void keep_damage(std::string_view line);
};

void LapLogReader::State::damage(const char* what) {
  std::optional<Damage>& damage = builder.log().damage;
  if (!damage) damage = Damage{.lines = 0, .first_offset = line_offset, .what = what};
  damage->lines++;
}

void LapLogReader::State::keep_laps(std::string_view text_of_lines, std::size_t lines) {
  if (kept == nullptr || text_of_lines.empty()) return;
  kept->add_laps(lines, text_of_lines.size());
  const std::vector<Lap>& laps = builder.log().laps;
  const std::size_t count = laps.size() - std::exchange(kept_laps, laps.size());
  count > 0 ? text.add_laps(text_of_lines, count, laps) : text.add(text_of_lines);
}

void LapLogReader::State::keep_damage(std::string_view line) {
  if (kept != nullptr && kept->take_damage(line.size())) text.add(line);
}

/// Reads a line with or without its '\n'.
void LapLogReader::State::take_version(std::string_view line) {
  const std::string_view text = line.substr(0, line.find('\n'));
  versioned = text == kLapLogVersionLine;
  ended = !versioned;
  if (ended) damage(text.starts_with(kLapLogName) ? "another version" : "not a lap log");
}

void LapLogReader::State::take_event(std::string_view line) {
  const std::string_view words = line.substr(0, line.size() - 1);
  const bool is_event = kept != nullptr && !is_needed_for_laps(words);
  if (is_event && !kept->take_event(line.size())) return;
  const LapLogBuilder::Problem problem = read_lap_line(words, builder);
  if (problem != nullptr) damage(problem);
  ended = builder.is_over();
  if (kept == nullptr) return;
  if (problem == nullptr || problem == LapLogBuilder::kValidationAgain) {
    if (!is_event) return keep_laps(line, 1);
    text.add(line);
    return;
  }
  if (is_event) kept->untake_event(line.size());
  problem == LapLogBuilder::kAfterTheRun ? kept->drop_damage(line.size()) : keep_damage(line);
}

/// Keeps the first bytes of a line that is too long: enough for it to be too long when it is read
/// again.
void LapLogReader::State::begin_long_line(std::string_view bytes) {
  if (versioned) damage(kLineTooLong);
  skipping = true;
  if (kept == nullptr) return;
  const std::string_view head = bytes.substr(0, kMaxLineBytes);
  skipped_is_kept = kept->take_damage(head.size() + 1);
  if (skipped_is_kept) text.add(head);
  kept->drop_rest(bytes.size() - head.size());
}

void LapLogReader::State::end_long_line(std::string_view rest) {
  if (kept != nullptr) kept->drop_rest(rest.size() - 1);
  if (skipped_is_kept) text.add("\n");
  skipping = skipped_is_kept = false;
}

/// Takes a line with its '\n', or the rest of one that is skipped.
void LapLogReader::State::take_line(std::string_view line) {
  if (skipping) {
    end_long_line(line);
  } else if (!versioned) {
    take_version(line);
    versioned ? keep_laps(line, 1) : keep_damage(line.substr(0, kMaxLineBytes));
  } else if (line.size() > kMaxLineBytes) {
    begin_long_line(line.substr(0, line.size() - 1));
    end_long_line("\n");
  } else {
    take_event(line);
  }
  line_offset += static_cast<std::int64_t>(line.size());
}

void LapLogReader::State::take_unfinished(std::string_view bytes) {
  const std::size_t size = unfinished.size() + bytes.size();
  if (skipping) {
    if (kept != nullptr) kept->drop_rest(size);
    line_offset += static_cast<std::int64_t>(size);
    return;
  }
  unfinished.append(bytes.substr(0, kMaxLineBytes));
  if (size < kMaxLineBytes) return;
  if (!versioned) take_version(unfinished);
  begin_long_line(unfinished);
  if (kept != nullptr) kept->drop_rest(size - unfinished.size());
  line_offset += static_cast<std::int64_t>(size);
  unfinished.clear();
}

void LapLogReader::State::take_bytes(std::string_view bytes) {
  while (!bytes.empty() && !ended) {
    if (unfinished.empty() && !skipping) bytes.remove_prefix(take_iterations(bytes));
    const std::size_t end = bytes.find('\n');
    if (end == std::string_view::npos) return take_unfinished(bytes);
    const std::string_view line = bytes.substr(0, end + 1);
    if (unfinished.empty()) {
      take_line(line);
    } else {
      take_line(unfinished.append(line));
      unfinished.clear();
    }
    bytes.remove_prefix(line.size());
  }
}

std::size_t LapLogReader::State::take_iterations(std::string_view bytes) {
  const std::size_t before = builder.log().laps.size();
  const std::size_t taken = builder.take_iterations(bytes);
  line_offset += static_cast<std::int64_t>(taken);
  keep_laps(bytes.substr(0, taken), builder.log().laps.size() - before);
  return taken;
}

LapLogReader::LapLogReader(std::size_t expected_bytes) : state_(std::make_unique<State>()) {
  // The bytes of "1234567 i 8\n", from 1 ms on. Unused room costs nothing, but moving laps that do
  // not fit takes their memory twice.
  constexpr std::size_t kBytesPerLap = 12;
  if (expected_bytes > 0) state_->builder.log().laps.reserve(expected_bytes / kBytesPerLap + 1);
}
LapLogReader::LapLogReader(KeptLines& kept) : state_(std::make_unique<State>()) {
  state_->kept = &kept;
}
LapLogReader::~LapLogReader() = default;
LapLogReader::LapLogReader(LapLogReader&&) noexcept = default;
LapLogReader& LapLogReader::operator=(LapLogReader&&) noexcept = default;

void LapLogReader::feed(std::string_view bytes) {
  state_->take_bytes(bytes);
}

void LapLogReader::finish() {
  if (!state_->ended && !state_->unfinished.empty()) {
    state_->damage("cut off");
    state_->keep_damage(state_->unfinished);
  }
  state_->ended = true;
}

void LapLogReader::set_window(const RunWindow& window) {
  state_->builder.set_window(window);
}

bool LapLogReader::ended() const {
  return state_->ended;
}

bool LapLogReader::has_text() const {
  return !state_->text.empty();
}

std::string LapLogReader::text() const {
  return state_->text.text(state_->builder.log().laps);
}

const LapLog& LapLogReader::log() const {
  return state_->builder.settled();
}

LapLog LapLogReader::take() && {
  return std::move(state_->builder.settled());
}

LapLog parse_lap_log(std::string_view text, const std::optional<RunWindow>& window) {
  LapLogReader reader(text.size());
  if (window) reader.set_window(*window);
  reader.feed(text);
  reader.finish();
  return std::move(reader).take();
}

bool KeptLines::take_event(std::size_t bytes) {
  return take(bytes, kEventBytes + kEventBytesPerLapByte * laps_.bytes, event_bytes_,
              dropped_events_);
}

bool KeptLines::take_damage(std::size_t bytes) {
  return take(bytes, kDamageBytes, damage_bytes_, dropped_damage_);
}

void KeptLines::drop_damage(std::size_t bytes) {
  ++dropped_damage_.lines;
  drop_rest(bytes);
}

}  // namespace lapcast
