#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lapcast {

/// Lists the keys of MLPerf's logs that the importer uses; `other` stands for all others.
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

/// Returns true for an event that counts only with its time, and false for a fact about the run.
constexpr bool is_timed(MllogKey key) {
  return key < MllogKey::train_samples;
}

/// Holds one line of an MLPerf log, of any of its three generations.
struct MllogEvent {
  MllogKey key = MllogKey::other;
  std::int64_t time_ns = 0;     // since 1970; 0 = not logged
  std::int64_t line = 0;        // of the file, from 1
  std::optional<double> value;  // a value that is a number, also when it is logged as text
  std::string text;             // a value that is text; the status of run_stop; v0.5: the benchmark
  std::optional<double> epoch;  // epoch_num, first_epoch_num, or the number that v0.5 logs
  double epoch_count = 0;       // epochs of a block; 0 = not logged
};

/// Says what a line is to the importer.
enum class MllogLine : std::uint8_t {
  foreign,  // no line of an MLPerf log, or one with a key that the importer does not use
  event,
  broken,  // a line with a key that is used, which cannot be read
};

/// Reads a line. Ignores what stands before the mark (":::MLLOG", ":::MLL", ":::MLPv0.5.0"): a
/// rank, a time, a host. Sets `event`, except for its line number, when it returns
/// MllogLine::event; else leaves it in any state.
MllogLine parse_mllog_line(std::string_view line, MllogEvent& event);

// JSON --------------------------------------------------------------------------------------------

/// Reads the members of one JSON object in order, without allocating or copying. It only finds
/// where keys and values end, and does not check what is in a value: logs have a million lines of
/// which few members are used. ARCHITECTURE.md says why no library does this.
class JsonMembers {
 public:
  /// Takes a text with an object: blanks may stand before it, anything after it. The text must
  /// outlive this reader.
  explicit JsonMembers(std::string_view text);

  /// Reads the next member. Returns false at the end of the object (is_over()) and where it is
  /// damaged (not ok()).
  bool next();
  std::string_view key() const { return key_; }      // as written between its quotes
  std::string_view value() const { return value_; }  // as written, quotes and brackets included

  /// Returns false once the text was found not to be a JSON object.
  bool ok() const { return ok_; }
  /// Returns true once the closing brace was read.
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

/// Returns the number that a value is; nothing for any other value, also for NaN and Infinity,
/// which Python writes.
std::optional<double> json_number(std::string_view value);
/// Returns what stands between the quotes of a text value, with its escapes; nothing for any other
/// value.
std::optional<std::string_view> json_text(std::string_view value);

}  // namespace lapcast
