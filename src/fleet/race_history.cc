#include "fleet/race_history.h"

#include <algorithm>
#include <string>
#include <utility>

#include "fleet/candidates.h"
#include "run/race_outcomes.h"

namespace lapcast {

const Run* RaceRuns::best() const {
  const Run* best = nullptr;
  std::pair<bool, std::size_t> most{false, 0};  // whether it is finished, its laps
  for (const Run* run : runs) {
    const std::size_t laps = has_laps(run->outcome) ? laps_of(*run).laps.size() : 0;
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

}  // namespace lapcast
