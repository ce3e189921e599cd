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

/// Returns true for an event, which needs a time, and false for a fact about the run.
constexpr bool is_timed(MllogKey key) {
  return key < MllogKey::train_samples;
}

struct MllogEvent {
  MllogKey key = MllogKey::other;
  std::int64_t time_ns = 0;     // since 1970; 0 = not logged
  std::int64_t line = 0;        // of the file, from 1
  std::optional<double> value;  // a numeric value, even if it is logged as text
  std::string text;             // a value that is text; the status of run_stop; v0.5: the benchmark
  std::optional<double> epoch;  // epoch_num, first_epoch_num, or the number that v0.5 logs
  double epoch_count = 0;       // epochs of a block; 0 = not logged
  std::optional<double> samples;  // samples_count: of a block, or since the start of the training
  std::optional<double> step;     // iterations since the start of the training
};

/// Classifies a line for the importer.
enum class MllogLine : std::uint8_t {
  foreign,  // not a line of an MLPerf log, or its key is not used
  event,
  broken,  // its key is used, but the line cannot be read
};

/// Reads a line. Ignores anything before the mark (":::MLLOG", ":::MLL", ":::MLPv0.5.0"), such as a
/// rank, a time or a host. Sets `event`, except for its line number, if it returns
/// MllogLine::event; otherwise leaves it in any state.
MllogLine parse_mllog_line(std::string_view line, MllogEvent& event);

// JSON --------------------------------------------------------------------------------------------

/// Reads the members of one JSON object in order, without allocating or copying. It only finds
/// where keys and values end, and does not check what is in a value: logs have a million lines of
/// which few members are used. ARCHITECTURE.md says why no library does this.
class JsonMembers {
 public:
  /// Takes a text that begins with an object, after any blanks; anything may follow it. The text
  /// must outlive this reader.
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

/// Returns a value that is a number; nullopt for any other value, including NaN and Infinity, which
/// Python writes.
std::optional<double> json_number(std::string_view value);
/// Returns the text between the quotes of a text value, with its escapes; nullopt for any other
/// value.
std::optional<std::string_view> json_text(std::string_view value);

}  // namespace lapcast
