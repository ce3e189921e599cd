#include "forecast/paused_time.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace lapcast {

LapRange laps_beside(const LapLog& log, const ValidationSpan& validation) {
  if (validation.laps_before < 0 || validation.laps_before >= std::ssize(log.laps)) return {};
  const auto first = log.laps.begin() + validation.laps_before;
  if (first->end_ns >= validation.span.end_ns) return {};
  const auto last = std::partition_point(
      first, log.laps.end(), [&](const Lap& lap) { return lap.end_ns < validation.span.end_ns; });
  const auto end = std::min(last + 1, log.laps.end());  // the validation ended during `last`
  return {static_cast<std::size_t>(first - log.laps.begin()),
          static_cast<std::size_t>(end - log.laps.begin())};
}

std::vector<Span> checkpoints_of(const LapLog& log) {
  std::vector<Span> saves;
  for (const StageSpan& stage : log.stages)
    if (stage.name == "checkpoint") saves.push_back(stage.span);
  return saves;
}

PausedTime::PausedTime(const LapLog& log) : spans_(checkpoints_of(log)) {
  for (const ValidationSpan& validation : log.validations)
    if (laps_beside(log, validation).empty()) spans_.push_back(validation.span);
  std::ranges::sort(spans_, {}, &Span::begin_ns);
  std::size_t kept = 0;
  for (const Span& span : spans_) {
    if (kept > 0 && span.begin_ns <= spans_[kept - 1].end_ns) {
      spans_[kept - 1].end_ns = std::max(spans_[kept - 1].end_ns, span.end_ns);
    } else {
      spans_[kept++] = span;
    }
  }
  spans_.resize(kept);
  total_until_.push_back(0);
  for (const Span& span : spans_)
    total_until_.push_back(total_until_.back() + span.end_ns - span.begin_ns);
}

std::size_t PausedTime::first_ending_after(std::int64_t at_ns) const {
  const auto first = std::ranges::upper_bound(spans_, at_ns, {}, &Span::end_ns);
  return static_cast<std::size_t>(first - spans_.begin());
}

Seconds PausedTime::within(std::int64_t begin_ns, std::int64_t end_ns) const {
  if (spans_.empty() || end_ns <= begin_ns) return Seconds{0};
  const auto paused_until = [this](std::int64_t at) {
    const std::size_t i = first_ending_after(at);
    const bool inside = i < spans_.size() && spans_[i].begin_ns < at;
    return total_until_[i] + (inside ? at - spans_[i].begin_ns : 0);
  };
  return from_ns(paused_until(end_ns) - paused_until(begin_ns));
}

std::int64_t PausedTime::next_pause_begin(std::int64_t at_ns) const {
  const std::size_t i = first_ending_after(at_ns);
  return i < spans_.size() ? spans_[i].begin_ns : std::numeric_limits<std::int64_t>::max();
}

}  // namespace lapcast
