#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "campaign/chosen_campaign.h"
#include "campaign/measuring.h"
#include "campaign/race_campaign.h"
#include "campaign/repeat_campaign.h"
#include "query/sweep_state.h"

namespace lapcast {

/// Measures for one command. It resumes what earlier commands began, and keeps out other lapcast
/// processes that measure the same. Each stage is a campaign with one policy.
class MeasuringSession {
 public:
  /// Holds the lock as long as the session lasts. Removes what killed lapcasts left: run folders
  /// below `run_parent`, CPU quota cgroups, and runs on remote machines. Throws Error (interrupted)
  /// without a lock.
  MeasuringSession(const MeasuringTools& tools, std::optional<SweepLock> lock,
                   const std::string& run_parent);

  /// Returns the wanted sweep or set, as find_or_begin() does, and tells the listener what was
  /// found; `subject` names the set in these lines.
  Sweep begin(const WantedSweep& wanted, const std::string& subject = "") const;
  /// Returns the runs that were measured in the sweep. Imported runs, which may name any sweep, are
  /// left out.
  std::vector<Run> runs_of(const Sweep& sweep) const;
  void save(Sweep& sweep, bool is_finished) const;

  // Stages. When one is interrupted, was_interrupted() becomes true.

  /// Runs each request once, or with several `rounds` as run_in_rounds() does. `forecast` is shown
  /// with each run that ends.
  CampaignResult run(const std::string& stage, std::vector<ProbeRequest> requests, int rounds = 1,
                     const RunAssessor& forecast = {});
  /// Runs one request after the other, as `choose` chooses by the runs so far; `earlier` has those
  /// of earlier commands.
  CampaignResult choose(const std::string& stage, std::vector<ProbeRequest> requests,
                        const ProbeChooser& choose, std::vector<Run> earlier,
                        const RunAssessor& forecast);
  RaceResult race(const std::string& stage, std::vector<ProbeRequest> requests,
                  const RaceRequest& order, std::span<const Run> earlier,
                  const RunAssessor& assessor);
  /// Runs candidates of a set to their end, as run_repeatedly() does. Tells the listener how many
  /// runs were done before.
  RepeatsResult repeat(const std::string& stage, std::vector<RepeatedCandidate> candidates,
                       const RepeatRule& rule, std::size_t warm_ups, const RepeatValue& value,
                       const std::string& subject = "");

  bool was_interrupted() const { return interrupted_; }
  void say(const std::string& line) const { tools_.listener.say(line); }

 private:
  const MeasuringTools& tools_;
  std::optional<SweepLock> lock_;
  bool interrupted_ = false;
};

}  // namespace lapcast
