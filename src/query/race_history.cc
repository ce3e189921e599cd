#include "query/race_history.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "fleet/candidates.h"
#include "history/moments.h"
#include "run/race_outcomes.h"

namespace lapcast {

const Run* RaceRuns::best() const {
  const Run* best = nullptr;
  std::pair<bool, std::size_t> most{false, 0};  // whether it is finished, and its number of laps
  for (const Run* run : runs) {
    const std::size_t laps = has_laps(run->outcome) ? laps_of(*run)->laps.size() : 0;
    const std::pair known{!is_unfinished_in_race(run->outcome), laps};
    if (laps == 0 || known < most) continue;
    most = known;
    best = run;
  }
  return best;
}

RaceRuns history_of(const RunContext& candidate, std::span<const Run> runs) {
  RaceRuns history;
  const std::string name = candidate_name(candidate);
  for (const Run& run : runs)
    if (run.context.kind == RunKind::probe && candidate_name(run.context) == name)
      history.runs.push_back(&run);
  std::stable_sort(history.runs.begin(), history.runs.end(), [](const Run* a, const Run* b) {
    return a->context.started_at < b->context.started_at;
  });
  return history;
}

RaceCandidate race_candidate_of(const RunContext& context, bool same_epochs) {
  const auto batch = context.settings.find("batch");
  const bool apart = !same_epochs && batch != context.settings.end();
  RaceCandidate candidate{candidate_name(context), apart ? batch->second : "", context.price};
  candidate.place = context.place;
  return candidate;
}

RaceCandidate race_candidate_beside(const RunContext& context,
                                    const std::map<std::string, std::string>& baseline) {
  RaceCandidate candidate = race_candidate_of(context, true);
  candidate.is_baseline = context.settings == baseline;
  for (const auto& [name, value] : context.settings)
    if (const auto same = baseline.find(name); same == baseline.end() || same->second != value)
      candidate.group += (candidate.group.empty() ? "" : " ") + name;
  return candidate;
}

RaceObservation observation_of(const Run& run, const Assessment& assessment, const Race& race,
                               std::size_t attempts, bool measured) {
  RaceObservation observed{0, run.wall(), std::nullopt, measured};
  if (const auto& profile = assessment.profile; profile && !profile->laps.empty()) {
    observed.laps = std::ssize(profile->laps);
    observed.in_laps = std::reduce(profile->laps.begin(), profile->laps.end());
  }
  const double error = race.error_of_each(static_cast<int>(std::max<std::size_t>(1, attempts)));
  const double moment = spread_of_moment(run.context, race.is_on_one_machine());
  if (const auto total = anytime_total(assessment, error, moment)) observed.total = *total;
  observed.settled = laps_are_settled(assessment, error, moment);
  return observed;
}

}  // namespace lapcast
