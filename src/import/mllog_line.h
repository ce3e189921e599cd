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

/// Holds one line of an MLPerf log, of any of its three generations.
struct MllogEvent {
  MllogKey key = MllogKey::other;
  std::int64_t time_ns = 0;  // since 1970; 0 = not said
  std::int64_t line = 0;     // of the file, from 1
  std::optional<double> value;
  std::string text;             // a value that is text; of run_stop the status
  std::optional<double> epoch;  // epoch_num, first_epoch_num, or the number that v0.5 logs
  double epoch_count = 0;       // of a block; 0 = not said
};

enum class MllogLine : std::uint8_t {
  foreign,  // no line of an MLPerf log, or of a key that does not matter here
  event,
  broken,  // one that matters, but cannot be read
};

/// Reads a line, with whatever stands before its mark (":::MLLOG", ":::MLL", ":::MLPv0.5.0"): a
/// rank, a time, a host. Bytes that are not ASCII are taken as they are. `event` holds something
/// only for MllogLine::event, and its `line` is left alone.
MllogLine parse_mllog_line(std::string_view line, MllogEvent& event);

}  // namespace lapcast
