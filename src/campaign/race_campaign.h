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

/// Limits what a race spends on its probes, those of an earlier part of it included.
struct RaceBudget {
  std::optional<Money> money;
  std::optional<Seconds> time;  // of all probes together, not of waiting for the race
};

/// Says what a race is to find out, and what it may spend.
struct RaceRequest {
  RaceGoal goal = RaceGoal::front;
  double confidence = kRaceConfidence;
  RaceBudget budget;
  bool same_epochs = false;  // batch sizes are compared at equal epochs
  bool retry_failed = false;
  /// Compares all with the candidate of these settings, and among each other only those that change
  /// the same settings of it; none = all of one batch size are compared.
  std::optional<std::map<std::string, std::string>> baseline = {};
  // An earlier command finished the race: what is known is shown, nothing is started.
  bool finished = false;
};

/// Says what came of a race.
struct RaceResult {
  std::vector<RaceRow> rows;  // in the order of the candidates
  std::size_t rounds = 0;     // of this command
  bool budget_spent = false;
  bool interrupted = false;
};

/// Returns whether the program of a request cannot be suspended: a race probes it in one piece.
bool is_raced_in_one_piece(const ProbeRequest& request);

/// Runs a race of the candidates that the requests stand for, as many at once as do not share
/// hardware. Each is suspended after its rounds (Race::next_round()); where it cannot be, or
/// suspended programs would hold too much memory, it goes on at once; one that finds no GPU memory
/// beside suspended ones is started again once they have ended. So a race takes no more of a
/// program than a plain sweep does. Every run is stored when its program has ended, runs that the
/// race cut short too. With `earlier`, the runs of this race in the store, it goes on where it was.
/// Throws Error as Campaign::run() does.
RaceResult run_race(std::vector<ProbeRequest> requests, const RaceRequest& order,
                    std::span<const Run> earlier, const RunAssessor& assessor, CampaignTools tools);

}  // namespace lapcast
