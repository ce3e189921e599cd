#include "accuracy/interval_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "accuracy/given_plan.h"
#include "accuracy/groups.h"
#include "accuracy/run_folder.h"
#include "forecast/lap_profiler.h"
#include "formats/csv_intervals.h"

namespace lapcast::accuracy {
namespace {

constexpr std::string_view kEvalHeader = "global_step,total_duration,accumulated_eval_time\n";
constexpr std::size_t kLeastEvaluations = 5, kLeastSeen = 3;
constexpr std::size_t kFirstTen = 10, kLeastSeries = 40;

using TimedRuns = std::vector<TimedRun>;
using Places = std::map<std::string, std::size_t, std::less<>>;

TimedRun& new_run(TimedRuns& runs, Places& places, std::string_view key) {
  places.emplace(key, runs.size());
  TimedRun& timed = runs.emplace_back();
  timed.run.unit = MllogUnit::between_evaluations;
  return timed;
}

/// Adds a row that goes on after the last one; counts any other.
bool add_row(TimedRun& timed, std::optional<double> step, std::optional<double> end,
             Dropped& dropped) {
  const bool goes_on =
      step && end && *end > 0 &&
      (timed.ends.empty() || (*step > timed.steps.back() && *end > timed.ends.back()));
  if (!goes_on) {
    dropped.add("a row whose step or time does not grow");
    return false;
  }
  timed.steps.push_back(*step);
  timed.ends.push_back(*end);
  return true;
}

void finish(TimedRuns& runs) {
  std::erase_if(runs, [](const TimedRun& timed) { return timed.ends.empty(); });
  for (TimedRun& timed : runs) {
    timed.run.total = Seconds{timed.ends.back()};
    timed.run.units = timed.steps.back();
  }
}

/// Returns the log of iterations that follow each other.
LapLog log_of_iterations(std::span<const double> ends) {
  LapLog log;
  log.hello.emplace();
  for (const double end : ends) {
    Lap lap;
    lap.begin_ns = log.last_ns;
    lap.end_ns = log.last_ns = std::llround(end * 1e9);
    lap.index = static_cast<std::int32_t>(log.laps.size());
    log.laps.push_back(lap);
  }
  return log;
}

Probe stopped_after(const TimedRun& timed, std::size_t rows, std::string seen) {
  Probe probe;
  probe.run = &timed.run;
  probe.seen = std::move(seen);
  probe.stopped = Seconds{timed.ends[rows - 1]};
  return probe;
}

}  // namespace

std::vector<TimedRun> read_algoperf(const std::filesystem::path& folder, Dropped& dropped,
                                    std::vector<std::string>& notes) {
  TimedRuns runs;
  Places places;
  const auto take_run = [&](CsvTable::Cells cells) {
    LoggedRun& run = new_run(runs, places, cells[0]).run;
    run.round = cells[1];
    run.submitter = cells[2];
    run.benchmark = fmt::format("{} {}", cells[3], cells[4]);
    run.framework = cells[4];
    run.system = cells[5];
    run.id = fmt::format("{}/{}/{}/{}/{}", cells[1], cells[2], cells[5], run.benchmark, cells[0]);
  };
  const auto take_evaluation = [&](CsvTable::Cells cells) {
    const auto run = places.find(cells[0]);
    if (run == places.end()) return dropped.add("an evaluation of a run that is not in runs.csv");
    TimedRun& timed = runs[run->second];
    if (add_row(timed, number(cells[1]), number(cells[2]), dropped))
      timed.lines.push_back(fmt::format("{},{},{}\n", cells[1], cells[2], cells[3]));
  };
  read_table({{"run", "round", "submission", "workload", "framework", "config"}, take_run}, folder,
             "runs.csv", dropped, notes);
  read_table({{"run", "global_step", "total_duration", "accumulated_eval_time"}, take_evaluation},
             folder, "evals.csv", dropped, notes);
  finish(runs);
  return runs;
}

std::vector<TimedRun> read_megatron(const std::filesystem::path& folder, Dropped& dropped,
                                    std::vector<std::string>& notes) {
  TimedRuns runs;
  Places places;
  const auto take_file = [&](CsvTable::Cells cells) {
    LoggedRun& run = new_run(runs, places, cells[0]).run;
    run.submitter = run.system = cells[1];
    run.benchmark = cells[1].substr(0, cells[1].find('/'));
    run.framework = cells[2];
    run.family = cells[3];
    run.id = fmt::format("{}/{}", cells[1], cells[0]);
  };
  const auto take_iteration = [&](CsvTable::Cells cells) {
    const auto run = places.find(cells[0]);
    const auto seconds = number(cells[1]);
    if (run == places.end() || !seconds)
      return dropped.add("an iteration of no file, or without a time");
    TimedRun& timed = runs[run->second];
    const double before = timed.ends.empty() ? 0 : timed.ends.back();
    add_row(timed, static_cast<double>(timed.ends.size() + 1), before + *seconds, dropped);
  };
  read_table({{"file", "case", "environment", "generation"}, take_file}, folder, "files.csv",
             dropped, notes);
  read_table({{"file", "iteration_s"}, take_iteration}, folder, "series.csv", dropped, notes);
  finish(runs);
  return runs;
}

Result<Probe> probe_of_share(const TimedRun& timed, double share) {
  const std::vector<double>& ends = timed.ends;
  if (ends.size() < kLeastEvaluations) return because("fewer than five evaluations");
  const double until = share * ends.back();
  const auto within =
      static_cast<std::size_t>(std::ranges::upper_bound(ends, until) - ends.begin());
  const std::size_t rows = std::max(kLeastSeen, within);
  Probe probe = stopped_after(timed, rows, fmt::format("first {:.0f} %", 100 * share));
  probe.groups = {{0, kAlgoperf}, {kPlaceOfBenchmarks, timed.run.benchmark}};
  if (ends[kLeastSeen - 1] <= 0.02 * ends.back()) probe.groups.push_back({1, kAlgoperfStrict});
  std::string text(kEvalHeader);
  for (std::size_t i = 0; i < rows; ++i) text += timed.lines[i];
  const ImportedLog imported = import_algoperf(text, timed.run.id);
  probe.log = *laps_of(imported.runs.at(0));
  auto profile = profile_of(probe.log, RunFacts{});
  if (!profile) return tl::unexpected(profile.error());
  const double rest = timed.steps.back() - timed.steps[rows - 1];
  probe.plan = given_plan(probe.log, *profile, probe.log.laps.back().samples, rest);
  probe.profile = *std::move(profile);
  const double pace = (ends[2] - ends[1]) / (timed.steps[2] - timed.steps[1]);
  probe.papers = Seconds{ends[1] + pace * (timed.steps.back() - timed.steps[1])};
  return probe;
}

Result<Probe> probe_of_ten(const TimedRun& timed) {
  const std::vector<double>& ends = timed.ends;
  if (ends.size() < kLeastSeries) return because("fewer than 40 iterations");
  Probe probe = stopped_after(timed, kFirstTen, "10 iterations");
  probe.groups = {{0, kMegatron}, {kPlaceOfBenchmarks, "Megatron " + timed.run.benchmark}};
  probe.log = log_of_iterations(std::span(ends).first(kFirstTen));
  auto profile = profile_of(probe.log, RunFacts{});
  if (!profile) return tl::unexpected(profile.error());
  const auto plan = plan_of({.steps = std::ssize(ends)}, *profile);
  if (!plan) return tl::unexpected(plan.error());
  probe.plan = *plan;
  probe.profile = *std::move(profile);
  probe.papers = Seconds{ends[0] + (ends[1] - ends[0]) * static_cast<double>(ends.size() - 1)};
  return probe;
}

}  // namespace lapcast::accuracy
