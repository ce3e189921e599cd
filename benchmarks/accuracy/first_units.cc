#include "accuracy/first_units.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "accuracy/given_plan.h"
#include "accuracy/groups.h"
#include "accuracy/progress_laps.h"
#include "accuracy/units.h"
#include "forecast/lap_profiler.h"
#include "formats/mllog_reader.h"

namespace lapcast::accuracy {
namespace {

constexpr std::int64_t kRunStartNs = 1'500'000'000'000'000'000;  // any time would do
constexpr double kMostUnits = 1e9;
constexpr double kSamplesOfAnEpoch = 1000;  // used when it is not logged: only weights matter

bool is_of_another_unit(MllogKey key, MllogUnit unit) {
  const bool epoch = key == MllogKey::epoch_start || key == MllogKey::epoch_stop;
  const bool block = key == MllogKey::block_start || key == MllogKey::block_stop;
  return (epoch && unit == MllogUnit::block) || (block && unit == MllogUnit::between_evaluations);
}

/// Returns what the log had said by then, for the importer. The first blocks get these weights.
MllogDraft draft_until(const LoggedRun& run, Seconds until, std::span<const double> weights) {
  MllogDraft draft;
  draft.facts.benchmark = run.benchmark;
  draft.facts.org = run.submitter;
  draft.facts.platform = run.system;
  draft.facts.global_batch_size = run.global_batch;
  draft.facts.train_samples = run.train_samples > 0 ? run.train_samples : kSamplesOfAnEpoch;
  MllogEvent start;
  start.key = MllogKey::run_start;
  start.time_ns = draft.first_ns = kRunStartNs;
  draft.run_start = start;
  const auto until_ns = std::llround(until.count() * 1e9);
  std::size_t block = 0;
  for (const MllogEvent& event : run.events) {
    if (event.time_ns > until_ns || is_of_another_unit(event.key, *run.unit)) continue;
    MllogEvent& taken = draft.events.emplace_back(event);
    taken.time_ns += kRunStartNs;
    if (taken.key == MllogKey::block_start && *run.unit == MllogUnit::block &&
        block < weights.size())
      taken.epoch_count = weights[block++];
  }
  return draft;
}

std::optional<Reason> why_not(const LoggedRun& run, const Units& units, std::size_t seen) {
  const auto no = [](std::string text) { return std::optional(Reason{std::move(text)}); };
  if (!run.unit || run.units <= 0) return no("no number of units is given");
  if (units.end.size() < seen) return no(fmt::format("fewer than {} units are timed", seen));
  if (units.end[0] <= 0) return no("a unit ends before the run begins");
  for (std::size_t i = 1; i < seen; ++i) {
    if (units.end[i] <= units.end[i - 1]) return no("a unit takes no time");
  }
  const double done =
      std::accumulate(units.weight.begin(), units.weight.begin() + std::ptrdiff_t(seen), 0.0);
  if (run.units <= done) return no(fmt::format("no unit is left after {}", seen));
  if (run.units / units.weight[seen - 1] > kMostUnits)
    return no("it has more units than a run can have");
  if (units.end[seen - 1] >= run.total.count()) return no("its units go on after its end");
  return std::nullopt;
}

/// Stops the probe when the epoch has just begun.
void begin_next_epoch(LapLog& log, Seconds at) {
  if (log.epochs.empty()) return;
  EpochSpan next;
  next.epoch = log.epochs.back().epoch + 1;
  next.span.begin_ns = std::max<std::int64_t>(log.last_ns, std::llround(at.count() * 1e9));
  next.first_lap = std::ssize(log.laps);
  log.epochs.push_back(next);
  log.last_ns = next.span.begin_ns;
}

}  // namespace

Run whole_run(const LoggedRun& run) {
  MllogDraft draft = draft_until(run, run.total, {});
  draft.run_stop.emplace();
  draft.run_stop->key = MllogKey::run_stop;
  draft.run_stop->time_ns = kRunStartNs + std::llround(run.total.count() * 1e9);
  return mllog_run(draft, run.id, run.unit);
}

Result<Probe> probe_of(const LoggedRun& run, std::size_t seen) {
  const Units units = units_of(run);
  if (const auto reason = why_not(run, units, seen)) return tl::unexpected(*reason);
  Probe probe;
  probe.run = &run;
  probe.seen = fmt::format("{} epochs", seen);
  probe.groups = groups_of(run);
  probe.stopped = Seconds{units.end[seen - 1]};
  probe.papers = Seconds{papers_total(units, run.units, seen)};
  probe.log = *laps_of(mllog_run(
      draft_until(run, probe.stopped, std::span(units.weight).first(seen)), run.id, *run.unit));
  LapLog units_log = probe.log;
  begin_next_epoch(units_log, probe.stopped);
  auto profile = profile_of(units_log, RunFacts{});
  if (!profile) {
    probe.no_laps = profile.error();
    return probe;
  }
  const double done =
      std::accumulate(units.weight.begin(), units.weight.begin() + std::ptrdiff_t(seen), 0.0);
  probe.plan = given_plan(probe.log, *profile, units.weight[seen - 1], run.units - done);
  probe.by_lines = take_progress_laps(run, probe.log);
  begin_next_epoch(probe.log, probe.stopped);
  if (probe.by_lines) {
    profile = profile_of(probe.log, RunFacts{});
    if (!profile) return tl::unexpected(profile.error());
    probe.plan.batch_size = profile->steady.samples_per_lap;
    probe.plan.iterations_per_epoch = 0;
  }
  probe.profile = *std::move(profile);
  return probe;
}

}  // namespace lapcast::accuracy
