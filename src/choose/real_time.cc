#include "choose/real_time.h"

namespace lapcast {

Seconds real_time(const Run& run, std::int64_t epochs) {
  const LapLog log = laps_of(run);
  const bool trained_more = epochs > 0 && static_cast<std::int64_t>(log.epochs.size()) > epochs;
  if (!trained_more) return run.wall();
  const Seconds after_the_last_event = run.wall() - from_ns(log.last_ns);
  return from_ns(log.epochs[static_cast<std::size_t>(epochs)].span.begin_ns) + after_the_last_event;
}

}  // namespace lapcast
