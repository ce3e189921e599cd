#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lapcast {

/// Lists the keys of MLPerf's logs that are about time, length or place.
enum class MllogKey : std::uint8_t {
  other,
  init_start,
  run_start,
  run_stop,
  epoch_start,
  epoch_stop,
  block_start,
  block_stop,
  eval_start,
  eval_stop,
  eval_accuracy,
  train_samples,
  eval_samples,
  global_batch_size,
  benchmark,
  org,
  platform,
};

/// Returns whether an event is of use only with its time; the other events are facts about the run.
constexpr bool is_timed(MllogKey key) {
  return key < MllogKey::train_samples;
}

/// Holds one line of an MLPerf log, of any of its three generations.
struct MllogEvent {
  MllogKey key = MllogKey::other;
  std::int64_t time_ns = 0;  // since 1970; 0 = not said
  std::int64_t line = 0;     // of the file, from 1
  std::optional<double> value;
  std::string text;             // a value that is text, or the status of run_stop
  std::optional<double> epoch;  // epoch_num, first_epoch_num, or the number that v0.5 logs
  double epoch_count = 0;       // of a block; 0 = not said
};

/// Says what a line is to the importer.
enum class MllogLine : std::uint8_t {
  foreign,  // no line of an MLPerf log, or one with a key that the importer does not use
  event,
  broken,  // a line with a key that is used, which cannot be read
};

/// Reads a line, with whatever stands before its mark (":::MLLOG", ":::MLL", ":::MLPv0.5.0"): a
/// rank, a time, a host. Bytes that are not ASCII are taken as they are. `event` holds something
/// only for MllogLine::event, and its `line` is left alone.
MllogLine parse_mllog_line(std::string_view line, MllogEvent& event);

// JSON --------------------------------------------------------------------------------------------

/// Reads the members of one JSON object in order, without allocating or copying: for logs with a
/// million lines of which few members are wanted. It finds where keys and values end; what a value
/// holds is looked at only when asked for. (nlohmann-json reads a tenth as fast; Debian has
/// simdjson only as a shared library, and lapcast is static.)
class JsonMembers {
 public:
  /// Takes text that begins with the object; blanks may stand before it, anything after it.
  explicit JsonMembers(std::string_view text);

  /// Reads the next member. Returns false at the end of the object, or where it is damaged: see
  /// ok().
  bool next();
  std::string_view key() const { return key_; }      // as written between its quotes
  std::string_view value() const { return value_; }  // as written, quotes and brackets included

  /// Returns false once something was no JSON object.
  bool ok() const { return ok_; }
  /// Returns true once the closing bracket was read.
  bool is_over() const { return over_; }

 private:
  bool fail();
  void skip_blanks();
  bool take(char c);
  std::optional<std::string_view> take_string();
  std::optional<std::string_view> take_value();
  bool skip_nested();

  const char* at_;
  const char* end_;
  std::string_view key_;
  std::string_view value_;
  bool first_ = true;
  bool over_ = false;
  bool ok_ = true;
};

/// Returns a value as a number; nothing for any other value, such as "NaN" and "Infinity", which
/// Python writes.
std::optional<double> json_number(std::string_view value);
/// Returns the text between the quotes of a value, with escapes as they are; nothing for any other
/// value.
std::optional<std::string_view> json_text(std::string_view value);

}  // namespace lapcast
