#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lap/lap_log_reader.h"
#include "run/pauses.h"
#include "run/run.h"

namespace lapcast {
namespace {

void note(LapLog& log, const std::string& what) {
  if (!log.damage) log.damage.emplace();
  std::string& all = log.damage->what;
  all += all.empty() ? what : "; " + what;
}

// Moving a log in time ---------------------------------------------------------------------------

void shift(std::int64_t& at_ns, std::int64_t by_ns) {
  if (__builtin_add_overflow(at_ns, by_ns, &at_ns)) at_ns = std::numeric_limits<int64_t>::max();
}

void shift(Span& span, std::int64_t by_ns) {
  shift(span.begin_ns, by_ns);
  shift(span.end_ns, by_ns);
}

/// Moves all times of a log on by `by_ns` >= 0.
void shift(LapLog& log, std::int64_t by_ns) {
  for (Lap& lap : log.laps) {
    shift(lap.begin_ns, by_ns);
    shift(lap.end_ns, by_ns);
  }
  for (StageSpan& stage : log.stages) shift(stage.span, by_ns);
  for (ValidationSpan& validation : log.validations) shift(validation.span, by_ns);
  for (EpochSpan& epoch : log.epochs) {
    shift(epoch.span.begin_ns, by_ns);
    if (epoch.ended) shift(epoch.span.end_ns, by_ns);
  }
  for (MetricPoint& metric : log.metrics) shift(metric.at_ns, by_ns);
  shift(log.last_ns, by_ns);
}

// Placing it in the run --------------------------------------------------------------------------

/// Returns the window of a run; one that has not ended yet has no upper bound.
bool on_clock_of(const Run& run, const LapLog& log) {
  const bool ended = run.ended_ns >= run.started_ns;
  return log.hello && log.hello->clock_ns >= run.started_ns &&
         (!ended || log.hello->clock_ns <= run.ended_ns);
}

/// Returns the window that is checked; none for a run whose end is not known, and for old logs of
/// other tools, which say only roughly when they ended.
std::optional<RunWindow> window_of(const Run& run) {
  if (run.ended_ns <= run.started_ns || !run.context.imported_from.empty()) return std::nullopt;
  return RunWindow{run.started_ns, run.ended_ns, run.context.machine.host};
}

/// Returns time 0 of `log` after the start of the run, by the wall clocks of it and of `known`, a
/// log that has the run's clock; none when that is not within the run.
std::optional<std::int64_t> placed_by_wall(const Run& run, const Hello& known, const Hello& log) {
  const double apart_ns = (log.wall_seconds - known.wall_seconds) * 1e9;
  const double at_ns = static_cast<double>(known.clock_ns - run.started_ns) + apart_ns;
  const double length_ns = static_cast<double>(run.ended_ns - run.started_ns);
  if (!(at_ns >= 0 && at_ns <= length_ns)) return std::nullopt;
  return static_cast<std::int64_t>(at_ns);
}

/// Returns time 0 of the merged log after the start of the run.
std::int64_t place(const Run& run, const std::vector<LapLog>& logs, LapLog& merged) {
  if (on_clock_of(run, merged)) return merged.hello->clock_ns - run.started_ns;
  const auto known = std::find_if(logs.begin(), logs.end(),
                                  [&](const LapLog& log) { return on_clock_of(run, log); });
  if (known != logs.end()) {
    if (const auto at_ns = placed_by_wall(run, *known->hello, *merged.hello)) return *at_ns;
  }
  note(merged, "its clock is not that of the run: times are counted from its first event");
  return 0;
}

}  // namespace

Seconds Run::wall() const {
  return from_ns(ended_ns - started_ns - PauselessTime(*this).total_ns());
}

LapLog laps_of(const Run& run) {
  const std::optional<RunWindow> window = window_of(run);
  std::vector<LapLog> logs;
  for (const std::string& text : run.lap_logs) logs.push_back(parse_lap_log(text, window));
  LapLog merged = merge_ranks(logs);
  if (!merged.hello) return merged;
  const std::int64_t init_ns = place(run, logs, merged);
  shift(merged, init_ns);
  merged.hello->clock_ns = run.started_ns;
  merged.hello->wall_seconds -= from_ns(init_ns).count();
  cut_out(PauselessTime(run), merged);
  return merged;
}

}  // namespace lapcast
