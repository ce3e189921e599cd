#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lap/lap_log.h"
#include "lap/lap_log_builder.h"

namespace lapcast {

struct LineCount {
  std::int64_t lines = 0;
  std::int64_t bytes = 0;
  friend bool operator==(const LineCount&, const LineCount&) = default;
};

/// Decides which lines of the lap logs of one run are kept, so that no program can fill the memory:
/// - Each valid lap is kept, with its later end, the version line and the hello of its log.
/// - Other valid lines are kept up to kEventBytes, and beyond that up to kEventBytesPerLapByte for
///   each byte of laps. A line beyond that is dropped before it is read.
/// - Damaged lines are kept up to kDamageBytes.
/// The kept text gives the same laps and events when it is read again.
class KeptLines {
 public:
  static constexpr std::int64_t kEventBytes = 4 << 20;
  static constexpr std::int64_t kEventBytesPerLapByte = 4;
  static constexpr std::int64_t kDamageBytes = 64 << 10;

  /// Counts lines that the laps need.
  void add_laps(std::size_t lines, std::size_t bytes) {
    laps_.lines += static_cast<std::int64_t>(lines);
    laps_.bytes += static_cast<std::int64_t>(bytes);
  }
  /// Returns whether an event of this many bytes is kept. Counts it either way.
  bool take_event(std::size_t bytes);
  /// Takes back an event that turned out to be damaged.
  void untake_event(std::size_t bytes) { event_bytes_ -= static_cast<std::int64_t>(bytes); }
  /// Returns whether a damaged line is kept. Counts it either way.
  bool take_damage(std::size_t bytes);
  /// Counts a damaged line that must not be kept: it would be valid at another time.
  void drop_damage(std::size_t bytes);
  /// Counts more bytes of a line that was counted already.
  void drop_rest(std::size_t bytes) { dropped_damage_.bytes += static_cast<std::int64_t>(bytes); }

  const LineCount& laps() const { return laps_; }
  const LineCount& dropped_events() const { return dropped_events_; }
  const LineCount& dropped_damage() const { return dropped_damage_; }

 private:
  LineCount laps_;
  std::int64_t event_bytes_ = 0;
  std::int64_t damage_bytes_ = 0;
  LineCount dropped_events_;
  LineCount dropped_damage_;
};

/// Reads a lap log piece by piece, while the program writes it. Never throws for bad content: what
/// cannot be read becomes the log's one Damage. Only a line that ends in '\n' counts, so that a log
/// cut at any byte gives a prefix of its laps. Lines longer than 4096 bytes are damage.
class LapLogReader {
 public:
  /// Reserves room for the laps of `expected_bytes`, if the size of the log is known.
  explicit LapLogReader(std::size_t expected_bytes = 0);
  /// Reads the log of a program under test. `kept` decides which lines count and are in text(); all
  /// logs of a run share it, and it outlives the reader.
  explicit LapLogReader(KeptLines& kept);
  ~LapLogReader();
  LapLogReader(LapLogReader&&) noexcept;
  LapLogReader& operator=(LapLogReader&&) noexcept;

  /// Takes the next bytes of the file, cut anywhere.
  void feed(std::string_view bytes);
  /// Says that no more bytes will come: an unfinished last line becomes damage ("cut off"). log()
  /// may be called before.
  void finish();
  /// Refuses events that cannot have happened in the run (LapLogBuilder::set_window).
  void set_window(const RunWindow& window);

  /// Returns true when no more bytes are read: the file is not a lap log, or had a second hello.
  bool ended() const;
  /// Returns the kept lines verbatim; of a line that is too long, the first 4096 bytes. Rebuilds
  /// lines from the laps where these say the same, so a day of laps is in memory once.
  std::string text() const;
  bool has_text() const;

  const LapLog& log() const;
  LapLog take() &&;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Reads a whole log from its text. With a window, events outside of the run are damage.
LapLog parse_lap_log(std::string_view text, const std::optional<RunWindow>& window = {});

/// Merges the logs of the processes of one run into the log of the run.
/// - If any log has laps, those without are of processes that train nothing (a launcher, a notebook
///   server): only their notes count.
/// - Events are those of the lowest rank. Of several logs of one rank (a forked child that reported
///   too), the one with the most laps counts.
/// - Loads, samples of GPUs and notes are those of all logs; device memory is the most that any
///   process held, and sequences are those of the process with the longest one. Numbers are those
///   of the lowest rank that tells its own.
/// - Lap k goes from the latest begin to the latest end of lap k over the ranks, so that the laps
///   of a synchronised run touch each other like those of one rank, and small differences between
///   the ranks' clocks cancel. Samples are summed, and a lap is finished when all ranks have
///   finished it.
/// - The number of laps is the smallest of any rank that has laps: often only rank 0 reports them.
/// - Times are relative to the earliest hello: by the monotonic clock on one host, by the wall
///   clock between hosts. `said_bye` is set when all ranks said it, and the damage is that of all
///   logs.
/// Empty input gives an empty log.
LapLog merge_ranks(std::span<const LapLog> logs);
/// Merges logs given by pointers, without copying any.
LapLog merge_ranks_of(std::span<const LapLog* const> logs);
/// Merges logs and takes their laps, so that no lap is in memory twice.
LapLog merged_ranks(std::vector<LapLog>& logs);

}  // namespace lapcast
