#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "campaign/campaign.h"
#include "history/assessment.h"
#include "rank/race_result.h"

namespace lapcast {

/// Limits what a race spends on its probes, including those of earlier commands.
struct RaceBudget {
  std::optional<Money> money;
  std::optional<Seconds> time;  // of all probes together, not of waiting for the race
};

struct RaceRequest {
  RaceGoal goal = RaceGoal::front;
  double confidence = kRaceConfidence;
  RaceBudget budget;
  bool same_epochs = false;  // batch sizes are compared at equal epochs
  bool retry_failed = false;
  /// If set, all candidates are compared with the one of these settings, and with each other only
  /// if they change the same settings of it; none = all of one batch size are compared.
  std::optional<std::map<std::string, std::string>> baseline = {};
  // An earlier command finished the race: its result is shown, and nothing is started.
  bool finished = false;
};

struct RaceResult {
  std::vector<RaceRow> rows;  // in the order of the candidates
  std::size_t rounds = 0;     // of this command
  bool budget_spent = false;
  bool interrupted = false;
};

/// Returns whether the program of a request cannot be suspended, so that a race probes it in one
/// piece.
bool is_raced_in_one_piece(const ProbeRequest& request);

/// Races the candidates of the requests, in parallel where they share no hardware. A program is
/// suspended after each of its rounds (Race::next_round()); it goes on at once if it cannot be
/// suspended, or if suspended programs would hold too much memory. A program that lacks GPU memory
/// beside suspended ones is started again once they have ended. So a race needs no more of a
/// program than a plain sweep does. Every run is stored when its program has ended, even if the
/// race cut it short. `earlier` has the runs of this race in the store, from which it resumes.
/// Throws Error as Campaign::run() does.
RaceResult run_race(std::vector<ProbeRequest> requests, const RaceRequest& order,
                    std::span<const Run> earlier, const RunAssessor& assessor, CampaignTools tools);

}  // namespace lapcast
