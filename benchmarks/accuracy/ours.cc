#include "accuracy/ours.h"
#include "forecast/forecast.h"
#include "forecast/part.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

namespace lapcast::accuracy {
namespace {

/// Returns the framework of the run's program: submitters spell and order them in their own ways.
std::string framework_of(const LoggedRun& run) {
  constexpr std::string_view kKnown[] = {"mxnet", "hugectr", "tensorflow",
                                         "jax",   "pytorch", "paddle"};
  if (run.progress_kind == "mxnet") return run.progress_kind;
  std::string text = run.framework;
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const std::string_view known : kKnown)
    if (text.find(known) != text.npos) return std::string(known);
  return text.substr(0, text.find(' '));
}

/// Returns what a user's store would know of the run: its program with version, and its machine.
ComparedTraining training_numbers(const Probe& probe) {
  const LoggedRun& run = *probe.run;
  ComparedTraining now = lapcast::training_numbers(probe.profile, probe.plan);
  now.program = fmt::format("{} {}{}", run.benchmark, to_string(*run.unit),
                            probe.by_lines ? " by lines" : "");
  now.version = fmt::format("{} {}", run.round, framework_of(run));
  now.source = fmt::format("{} {}", run.submitter, run.system);
  if (run.accelerators > 0 && run.global_batch > 0)
    now.machine = fmt::format("{} {} {}", run.family, run.accelerators, run.global_batch);
  return now;
}

/// Returns the product's forecast without tear-down, which the logs do not time.
Result<Forecast> until_run_stop(const Probe& probe) {
  if (probe.no_laps) return tl::unexpected(*probe.no_laps);
  auto made = forecast(probe.profile, probe.plan);
  if (!made) return made;
  for (const ForecastPart& part : made->parts) {
    if (part.kind != PartKind::tear_down) continue;
    made->total.low -= part.time.low;
    made->total.mid -= part.time.mid;
    made->total.high -= part.time.mid;
  }
  return made;
}

}  // namespace

Result<Interval<Seconds>> ours(const Probe& probe, const History& history) {
  const auto made = until_run_stop(probe);
  if (!made) return tl::unexpected(made.error());
  return with_past_errors(made->total, probe.stopped,
                          past_errors(training_numbers(probe), history));
}

Result<PastForecast> past_forecast_of(const Probe& probe) {
  const auto made = until_run_stop(probe);
  if (!made) return tl::unexpected(made.error());
  return PastForecast{training_numbers(probe),
                      log_ratio_of(probe.run->total, made->total.mid, probe.stopped)};
}

}  // namespace lapcast::accuracy
