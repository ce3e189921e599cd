#include "formats/mllog_time_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/seconds.h"
#include "core/units.h"

namespace lapcast {
namespace {

/// An overlap up to this share of a unit comes from clocks that differ or lines written late.
constexpr double kSlack = 0.1;

}  // namespace

void MllogTimeLine::keep_in_order(std::vector<TimedUnit>& units) {
  std::ranges::stable_sort(units, {}, &TimedUnit::begin_ns);
  std::vector<TimedUnit> kept;
  for (TimedUnit unit : units) {
    if (unit.end_ns <= start_ns_) continue;
    unit.begin_ns = std::max(unit.begin_ns, start_ns_);
    if (kept.empty() || unit.begin_ns >= kept.back().end_ns) {
      kept.push_back(unit);
      continue;
    }
    TimedUnit& before = kept.back();
    const std::int64_t late = before.end_ns - unit.begin_ns;
    if (static_cast<double>(late) <= kSlack * static_cast<double>(unit.end_ns - unit.begin_ns)) {
      unit.begin_ns = before.end_ns;
      kept.push_back(unit);
      continue;
    }
    overlap_.add(unit.line, fmt::format("begins {} before what is before it has ended: the clock "
                                        "jumps back, or lines are out of order; each second counts "
                                        "for one of them",
                                        format_duration(from_ns(late))));
    unit.end_ns = std::max(unit.end_ns, before.end_ns);
    if (unit.begin_ns > before.begin_ns) {
      before.end_ns = unit.begin_ns;
      kept.push_back(unit);
    } else {
      before.end_ns = unit.end_ns;
      before.epochs += unit.epochs;
    }
  }
  units = std::move(kept);
}

void MllogTimeLine::join_gaps(std::vector<TimedUnit>& units,
                              const std::vector<std::int64_t>& begun) const {
  std::int64_t within = 0, between = 0;
  auto next = evaluations_.begin();
  for (std::size_t i = 0; i + 1 < units.size(); ++i) {
    const std::int64_t begin = units[i].end_ns, end = units[i + 1].begin_ns;
    within += begin - units[i].begin_ns;
    between += end - begin;
    while (next != evaluations_.end() && next->begin_ns < begin) ++next;
    for (; next != evaluations_.end() && next->begin_ns < end; ++next)
      between -= std::min(next->end_ns, end) - next->begin_ns;
  }
  if (between <= within) return;
  for (std::size_t i = 0; i + 1 < units.size(); ++i) units[i].end_ns = units[i + 1].begin_ns;
  // The last unit lasts until a later one that never ended begins, or until the end of the run.
  std::int64_t until = stop_ns_;
  for (const std::int64_t begin : begun)
    if (begin >= units.back().end_ns) until = std::min(until, begin);
  if (until != kNever) units.back().end_ns = std::max(units.back().end_ns, until);
}

void MllogTimeLine::place_evaluations(MllogTimes& times, bool has_epoch_stops) {
  usual_ = usual_without_evaluation(times.units);
  has_epoch_stops_ = has_epoch_stops;
  std::int64_t free_from = 0;
  auto unit = times.units.begin();
  for (TimedEvaluation evaluation : evaluations_) {
    while (unit != times.units.end() && unit->end_ns <= evaluation.begin_ns) ++unit;
    const bool fits = evaluation.begin_ns >= free_from && place(evaluation, times.units, unit);
    if (!fits && evaluation.end_ns > evaluation.begin_ns) {
      beside_.add(unit == times.units.end() ? 0 : unit->line,
                  "an evaluation runs beside the training; its time counts as the training's");
      evaluation.begin_ns = evaluation.end_ns;
    }
    free_from = std::max(free_from, evaluation.end_ns);
    times.evaluations.push_back(evaluation);
  }
}

std::optional<double> MllogTimeLine::usual_without_evaluation(
    const std::vector<TimedUnit>& units) const {
  std::vector<double> lengths;
  auto next = evaluations_.begin();
  for (const TimedUnit& unit : units) {
    while (next != evaluations_.end() && next->begin_ns < unit.begin_ns) ++next;
    if (next == evaluations_.end() || next->begin_ns >= unit.end_ns)
      lengths.push_back(static_cast<double>(unit.end_ns - unit.begin_ns));
  }
  if (lengths.empty()) return std::nullopt;
  return upper_median(std::move(lengths));
}

bool MllogTimeLine::waited(const TimedEvaluation& evaluation, const TimedUnit& unit) const {
  if (!usual_) return !has_epoch_stops_;
  const auto longer = static_cast<double>(unit.end_ns - unit.begin_ns) - *usual_;
  return longer >= 0.5 * static_cast<double>(evaluation.end_ns - evaluation.begin_ns);
}

bool MllogTimeLine::place(TimedEvaluation& evaluation, std::vector<TimedUnit>& units,
                          std::vector<TimedUnit>::iterator unit) const {
  if (unit == units.end()) return true;
  const auto slack =
      static_cast<std::int64_t>(kSlack * static_cast<double>(unit->end_ns - unit->begin_ns));
  if (unit->begin_ns >= evaluation.end_ns) return true;             // before it
  if (unit->begin_ns + slack >= evaluation.begin_ns) return false;  // at its start
  if (evaluation.end_ns + slack < unit->end_ns) {                   // in its middle
    if (!waited(evaluation, *unit)) return false;
    // Which second of the unit it is does not matter.
    evaluation.begin_ns += unit->end_ns - evaluation.end_ns;
    evaluation.end_ns = unit->end_ns;
  }
  const auto next = std::next(unit);
  if (next != units.end() && next->begin_ns < evaluation.end_ns) return false;  // into the next
  unit->end_ns = evaluation.begin_ns;
  return true;
}

void MllogTimeLine::tell(std::vector<std::string>& warnings) const {
  overlap_.tell_first(warnings);
  beside_.tell_first(warnings);
}

}  // namespace lapcast
