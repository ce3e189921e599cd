#include "probe/cut_off_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "core/units.h"
#include "probe/ids_and_time.h"
#include "probe/lap_folder.h"
#include "run/pauses.h"

namespace lapcast {
namespace {

/// Bounds the error of a start derived from progress, which may have arrived late.
constexpr Seconds kLateness{1};

/// Returns when the program was started. The lap log knows better if progress arrived late.
MonotonicNs start_of(const HeardOfRun& heard, const LapLog& log) {
  if (heard.so_far) return heard.so_far->started_ns;
  if (!log.hello) return heard.started_ns;
  const MonotonicNs hello_ns = log.hello->clock_ns;
  if (heard.started_ns == 0) return hello_ns;
  const bool is_close = hello_ns > heard.started_ns - to_ns(kLateness);
  return is_close ? std::min(hello_ns, heard.started_ns) : heard.started_ns;
}

/// Returns when the program was last heard of.
MonotonicNs last_sign(const HeardOfRun& heard, const LapLog& log, MonotonicNs started_ns) {
  MonotonicNs last_ns = std::max(heard.heard_ns, started_ns + to_ns(heard.elapsed));
  if (heard.so_far) last_ns = std::max(last_ns, heard.so_far->ended_ns);
  if (log.hello && log.hello->clock_ns >= started_ns)
    last_ns = std::max(last_ns, log.hello->clock_ns + log.last_ns);
  return last_ns;
}

/// Returns the pauses of a run that was suspended at the end of each round. The end of the last one
/// was not reported; it follows from how long the program has run since.
std::vector<Pause> pauses_of(const Run& run, const HeardOfRun& heard, MonotonicNs last_ns) {
  const Run& round = *heard.so_far;
  std::vector<Pause> pauses = round.pauses;
  const bool went_on = heard.elapsed > round.wall() + Seconds{0.001};  // progress has milliseconds
  MonotonicNs end_ns = run.ended_ns;
  if (went_on) {
    const MonotonicNs told_ns = heard.heard_ns > 0 ? heard.heard_ns : last_ns;
    end_ns = told_ns - to_ns(heard.elapsed - round.wall());
  }
  pauses.push_back({round.ended_ns, std::max(round.ended_ns, end_ns)});
  return pauses;
}

}  // namespace

void HeardOfRun::take(const ProbeProgress& progress) {
  if (progress.elapsed <= Seconds{0}) return;
  elapsed = progress.elapsed;
  heard_ns = monotonic_ns();
  if (started_ns == 0) started_ns = heard_ns - to_ns(elapsed);
}

Run cut_off_run(const RunContext& context, std::int64_t max_log_bytes, const HeardOfRun& heard,
                const std::filesystem::path& run_folder, MonotonicNs ended_ns,
                const std::string& why) {
  Run run;
  run.context = context;
  LapFolder laps(run_folder.empty() ? run_folder : run_folder / "laps", max_log_bytes);
  laps.finish();
  run.started_ns = start_of(heard, laps.log());
  const auto count = laps.log().laps.size();
  if (run.started_ns != 0 || !run_folder.empty())
    run.outcome = outcome::NotEnded{count > 0 ? fmt::format("{} after {} laps", why, count)
                                              : why + " before its first lap"};
  else
    run.outcome = outcome::NotStarted{why};
  if (run.started_ns == 0) return run;
  const MonotonicNs last_ns = last_sign(heard, laps.log(), run.started_ns);
  run.ended_ns = ended_ns > 0 ? ended_ns : last_ns;
  if (heard.so_far) {
    run.forecasts = heard.so_far->forecasts;
    if (!std::holds_alternative<outcome::NotEnded>(heard.so_far->outcome))
      run.pauses = pauses_of(run, heard, last_ns);
  }
  run.warnings = laps.warnings();
  run.lap_logs = laps.texts();
  return run;
}

}  // namespace lapcast
