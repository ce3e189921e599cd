#include "lap/kept_lines.h"

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

}  // namespace

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
