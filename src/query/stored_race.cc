#include "query/stored_race.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>

#include "fleet/candidates.h"
#include "query/race_history.h"
#include "report/sweep_report.h"
#include "run/race_outcomes.h"
#include "run/run_start.h"
#include "run/secrets.h"
#include "run/settings.h"

namespace lapcast {
namespace {

struct StoredCandidate {
  RaceRuns history;
  const Run* judged = nullptr;  // null = none has laps
  Assessment assessment;        // of that run
};

/// Reports to a race what the store knows of a candidate, as the command that resumes it does.
void report_to(Race& race, std::size_t index, const StoredCandidate& candidate) {
  const Run& last = *candidate.history.runs.back();
  const Run& run = candidate.judged == nullptr ? last : *candidate.judged;
  const bool was_ended_by_race =
      is_unfinished_in_race(run.outcome) || was_stopped_by_race(run.outcome);
  const RaceObservation observed =
      observation_of(run, candidate.assessment, race, candidate.history.runs.size(),
                     has_laps(run.outcome) && !was_ended_by_race);
  if (const auto why = why_out_of_race(last.outcome))
    race.put_out(index, observed, *why);
  else if (candidate.judged != nullptr)
    race.report(index, observed);
  else if (!is_unfinished_in_race(last.outcome))
    race.fail(index, describe(last.outcome));
}

/// Returns the probes that a race made, in order of their start; without find-epochs and full runs.
/// The store has them in order of their end.
std::vector<Run> probes_of(std::span<const Run> runs) {
  std::vector<Run> probes(runs.begin(), runs.end());
  std::erase_if(probes, [](const Run& run) { return run.context.kind != RunKind::probe; });
  if (!probes.empty())
    std::ranges::stable_sort(probes, {}, [first = start_of(probes.front())](const Run& run) {
      return seconds_between(first, start_of(run));
    });
  return probes;
}

}  // namespace

std::optional<StoredRace> race_of(const Sweep& sweep) {
  for (const RaceGoal goal : {RaceGoal::front, RaceGoal::cost, RaceGoal::time})
    for (const bool same_epochs : {false, true})
      if (sweep.key.ends_with(
              fmt::format("-race-{}{}", to_string(goal), same_epochs ? "-same-epochs" : "")))
        return StoredRace{goal, same_epochs};
  return std::nullopt;
}

std::vector<Table> stored_race_tables(const StoredRace& order, std::span<const Run> runs,
                                      const RunAssessor& assessor) {
  const double confidence = kRaceConfidence;
  const bool same_epochs = order.same_epochs || std::ranges::any_of(runs, [](const Run& run) {
                             return run.context.kind == RunKind::find_epochs;
                           });
  const std::vector<Run> probes = probes_of(runs);
  std::vector<StoredCandidate> stored;
  std::vector<RaceCandidate> candidates;
  std::set<std::string> known;
  for (const Run& probe : probes) {
    if (!known.insert(candidate_name(probe.context)).second) continue;
    StoredCandidate candidate{history_of(probe.context, probes)};
    candidate.judged = candidate.history.best();
    candidate.assessment = assessor(candidate.judged == nullptr ? Run{} : *candidate.judged);
    stored.push_back(std::move(candidate));
    candidates.push_back(race_candidate_of(probe.context, same_epochs));
    candidates.back().name = masked_text(candidates.back().name);
  }
  Race race(candidates, order.goal, confidence);
  for (std::size_t i = 0; i < stored.size(); ++i) report_to(race, i, stored[i]);
  std::vector<RaceRow> rows;
  std::vector<Assessment> assessments;
  for (std::size_t i = 0; i < stored.size(); ++i) {
    rows.push_back({candidates[i], race.standing(i), std::nullopt});
    if (stored[i].judged != nullptr) rows.back().run = masked(*stored[i].judged);
    assessments.push_back(std::move(stored[i].assessment));
  }
  const RaceBill bill{cost_of_runs(probes), cost_of_plain_probes(rows, assessments, PlainProbes{}),
                      cost_of_everything(rows, assessments), time_to_first_laps(assessments)};
  return race_tables(rows, assessments, picks_of(rows, assessments, order.goal), bill, confidence);
}

nlohmann::ordered_json race_timeline(std::span<const Run> all) {
  const std::vector<Run> runs = probes_of(all);
  auto timeline = nlohmann::ordered_json::array();
  for (const Run& run : runs) {
    const double after_s = seconds_between(start_of(runs.front()), start_of(run));
    MonotonicNs begin = run.started_ns;
    int round = 0;
    const auto add = [&](MonotonicNs end) {
      timeline.push_back({{"machine_type", run.context.machine_type.name},
                          {"settings", settings_text(run.context)},
                          {"run", run.context.id},
                          {"round", ++round},
                          {"begin_s", after_s + from_ns(begin - run.started_ns).count()},
                          {"end_s", after_s + from_ns(end - run.started_ns).count()}});
    };
    for (const Pause& pause : run.pauses) {
      add(pause.begin_ns);
      begin = pause.end_ns;
    }
    add(run.ended_ns);
    if (const auto why = why_out_of_race(run.outcome)) timeline.back()["out_reason"] = *why;
  }
  return timeline;
}

}  // namespace lapcast
