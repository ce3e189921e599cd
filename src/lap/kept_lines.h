#pragma once

#include <cstddef>
#include <cstdint>

namespace lapcast {

/// Counts lines and their bytes.
struct LineCount {
  std::int64_t lines = 0;
  std::int64_t bytes = 0;
  friend bool operator==(const LineCount&, const LineCount&) = default;
};

/// Decides which lines of the lap logs of one run are kept, so that no program can fill the memory:
/// - Each valid lap is kept, with the version line and the hello of its log.
/// - Other valid lines are kept up to kEventBytes, and beyond that up to kEventBytesPerLapByte for
///   each byte of laps. A line beyond that is dropped before it is read.
/// - Damaged lines are kept up to kDamageBytes.
/// The text that it keeps gives the same laps and events when it is read again.
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
  /// Returns whether an event of so many bytes is kept. Counts it either way.
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

}  // namespace lapcast
