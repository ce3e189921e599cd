#include "lap/lap_log_reader.h"

#include <utility>

#include "lap/lap_line.h"
#include "lap/lap_log_builder.h"
#include "lap/lap_log_format.h"

namespace lapcast {

static constexpr const char* kLineTooLong = "a line of more than 4096 bytes";

struct LapLogReader::State {
  LapLogBuilder builder;
  std::string unfinished;        // a line whose '\n' has not come; shorter than kMaxLineBytes
  std::int64_t line_offset = 0;  // where the next line begins, or the unfinished one
  bool versioned = false;        // the version line was read
  bool skipping = false;         // within a line that is too long
  bool ended = false;            // what follows is not read

  void take_bytes(std::string_view bytes);
  std::size_t take_iterations(std::string_view bytes);
  void take_line(std::string_view line);
  void take_unfinished(std::string_view bytes);
  void take_version(std::string_view text);
  void damage(const char* what);
};

void LapLogReader::State::damage(const char* what) {
  std::optional<Damage>& damage = builder.log().damage;
  if (!damage) damage = Damage{.lines = 0, .first_offset = line_offset, .what = what};
  damage->lines++;
}

void LapLogReader::State::take_version(std::string_view text) {
  versioned = text == kLapLogVersionLine;
  ended = !versioned;
  if (ended) damage(text.starts_with(kLapLogName) ? "another version" : "not a lap log");
}

/// A line with its '\n', or the rest of one that is skipped.
void LapLogReader::State::take_line(std::string_view line) {
  const std::string_view text = line.substr(0, line.size() - 1);
  if (skipping) {
    skipping = false;
  } else if (!versioned) {
    take_version(text);
  } else if (line.size() > kMaxLineBytes) {
    damage(kLineTooLong);
  } else if (const LapLogBuilder::Problem problem = read_lap_line(text, builder)) {
    damage(problem);
    ended = builder.is_over();
  }
  line_offset += static_cast<std::int64_t>(line.size());
}

void LapLogReader::State::take_unfinished(std::string_view bytes) {
  const std::size_t size = unfinished.size() + bytes.size();
  unfinished.append(bytes.substr(0, kMaxLineBytes));
  if (!skipping && size < kMaxLineBytes) return;
  if (!skipping && !versioned) take_version(unfinished);
  if (!skipping && versioned) damage(kLineTooLong);
  skipping = true;
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
  const std::size_t taken = builder.take_iterations(bytes);
  line_offset += static_cast<std::int64_t>(taken);
  return taken;
}

LapLogReader::LapLogReader(std::size_t expected_bytes) : state_(std::make_unique<State>()) {
  constexpr std::size_t kBytesPerLap = 16;  // "123456789012 i 8\n"; longer ones leave room unused
  if (expected_bytes > 0) state_->builder.log().laps.reserve(expected_bytes / kBytesPerLap + 1);
}
LapLogReader::~LapLogReader() = default;
LapLogReader::LapLogReader(LapLogReader&&) noexcept = default;
LapLogReader& LapLogReader::operator=(LapLogReader&&) noexcept = default;

void LapLogReader::feed(std::string_view bytes) {
  state_->take_bytes(bytes);
}

void LapLogReader::finish() {
  if (!state_->ended && !state_->unfinished.empty()) state_->damage("cut off");
  state_->ended = true;
}

const LapLog& LapLogReader::log() const {
  return state_->builder.log();
}

LapLog LapLogReader::take() && {
  return std::move(state_->builder.log());
}

LapLog parse_lap_log(std::string_view text) {
  LapLogReader reader(text.size());
  reader.feed(text);
  reader.finish();
  return std::move(reader).take();
}

}  // namespace lapcast
