#include "run/pauses.h"

#include <algorithm>

namespace lapcast {

PauselessTime::PauselessTime(const Run& run) {
  std::int64_t former_end = run.started_ns;
  const std::int64_t last = std::max(run.started_ns, run.ended_ns);
  for (const Pause& pause : run.pauses) {
    const std::int64_t begin = std::clamp(pause.begin_ns, former_end, last);
    const std::int64_t end = std::clamp(pause.end_ns, begin, last);
    former_end = end;
    if (begin == end) continue;
    pauses_.push_back({begin - run.started_ns, end - run.started_ns, pause.with_queue});
    until_.push_back(total_ns() + end - begin);
  }
}

std::int64_t PauselessTime::without(std::int64_t at_ns) const {
  const auto later = std::partition_point(pauses_.begin(), pauses_.end(),
                                          [&](const Pause& p) { return p.begin_ns < at_ns; });
  if (later == pauses_.begin()) return at_ns;
  const auto last = static_cast<std::size_t>(later - pauses_.begin()) - 1;
  return std::max(at_ns, pauses_[last].end_ns) - until_[last];
}

std::vector<RemovedPause> PauselessTime::removed() const {
  std::vector<RemovedPause> removed;
  for (const Pause& pause : pauses_)
    removed.push_back({without(pause.begin_ns), pause.end_ns - pause.begin_ns, pause.with_queue});
  return removed;
}

void remove_pauses(const PauselessTime& time, LapLog& log) {
  if (time.empty()) return;
  change_times(log, [&](std::int64_t& at_ns) { at_ns = time.without(at_ns); });
  log.removed = time.removed();
}

}  // namespace lapcast
