#include "run/pauses.h"

#include <algorithm>

namespace lapcast {
namespace {

void cut_out(const PauselessTime& time, Span& span) {
  span.begin_ns = time.without(span.begin_ns);
  span.end_ns = time.without(span.end_ns);
}

}  // namespace

PauselessTime::PauselessTime(const Run& run) {
  std::int64_t former_end = run.started_ns;
  const std::int64_t last = std::max(run.started_ns, run.ended_ns);
  for (const Pause& pause : run.pauses) {
    const std::int64_t begin = std::clamp(pause.begin_ns, former_end, last);
    const std::int64_t end = std::clamp(pause.end_ns, begin, last);
    former_end = end;
    if (begin == end) continue;
    pauses_.push_back({begin - run.started_ns, end - run.started_ns});
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

void cut_out(const PauselessTime& time, LapLog& log) {
  if (time.empty()) return;
  for (Lap& lap : log.laps) {
    lap.begin_ns = time.without(lap.begin_ns);
    lap.end_ns = time.without(lap.end_ns);
  }
  for (StageSpan& stage : log.stages) cut_out(time, stage.span);
  for (ValidationSpan& validation : log.validations) cut_out(time, validation.span);
  for (EpochSpan& epoch : log.epochs) {
    epoch.span.begin_ns = time.without(epoch.span.begin_ns);
    if (epoch.ended) epoch.span.end_ns = time.without(epoch.span.end_ns);
  }
  for (MetricPoint& metric : log.metrics) metric.at_ns = time.without(metric.at_ns);
  log.last_ns = time.without(log.last_ns);
}

}  // namespace lapcast
