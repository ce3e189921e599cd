#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "history/assessment.h"
#include "history/start_times.h"
#include "run/run.h"
#include "run/run_start.h"
#include "stats/speed_model.h"

namespace lapcast {

/// Returns the half-width of the 95 % interval of ln(time) of the rest of a run under way, due to
/// the wandering of its machine's speed: from what is known of such machines and from the run's
/// laps. 0 if the laps show nothing or nothing is left.
double wander_of_rest(const RunContext& context, const LapProfile& profile, Seconds rest);

/// Returns the standard deviation of ln(time) between the short runs of a race, on a machine whose
/// speed was not observed yet: each has one start and one moment of the quick wander. With
/// `on_one_machine` the slow wander affects all of them nearly alike.
double spread_of_moment(const RunContext& context, bool on_one_machine);

/// Combines runs from different moments to learn how the speed of their machines wanders, and how
/// fast each candidate is on average (SpeedModel). A candidate is a program with its settings on a
/// machine type.
class Moments {
 public:
  /// Maps a text for a program and the state of its files to its runs, the oldest first.
  using RunsByProgram = std::map<std::string, std::vector<Run>>;

  Moments() = default;
  /// Learns from the laps of these runs of one `program` that were measured under the conditions.
  /// Runs on one machine with equally many CPUs, all with a quota or all without, share its
  /// moments. `earlier` runs only teach how the speed of the same machines wanders: if a candidate
  /// of one program was measured in several sweeps, its times show how much hours differ. Those of
  /// this program also teach how it starts. Draws of Moments of different machines are independent
  /// if their `stream` differs.
  Moments(std::vector<Run> runs, const std::string& program, RunsByProgram earlier,
          Conditions conditions, std::uint64_t stream = 0);

  /// Returns the assessment of a run with its forecast corrected by all runs of its candidate: laps
  /// take their mean over moments, the warm-up is the excess of the run's first laps over those
  /// (LapProfile::next_warm_up where it is known), the start is that of StartTimes, and the
  /// interval predicts one future run. Call it after with_compiled_code(). It sets the assessment's
  /// cases too, and changes nothing else of the forecast. Returns the assessment unchanged if it
  /// has no forecast or no run of the candidate is known.
  Assessment corrected(Assessment assessment, const Run& run) const;

 private:
  /// Holds the slices of runs whose candidates are compared with each other.
  struct Group {
    std::map<std::string, std::size_t> candidates;
    std::vector<SpeedSlice> slices;
    std::size_t starts = 0;
    std::optional<RunStart> first;  // start of its first run

    void add(const Run& run, const LapProfile& profile);
  };
  /// Holds the runs that their machine slows alike when it is busy.
  struct Kind {
    std::string machine;
    Group group;
    WanderPrior prior;
    std::vector<SpeedEstimates> estimates;   // of kMostCandidates each
    std::vector<std::vector<double>> draws;  // by case, then by candidate
  };
  using GroupsOfPrograms = std::map<std::pair<std::string, std::string>, Group>;  // kind, program

  /// Adds the start of a run of the program; returns its profile_without_logs().
  Result<LapProfile> learn_start(Run& run, Conditions conditions);
  /// Returns the groups of all kinds, and those of earlier runs of the same kinds. Adds the starts
  /// of earlier runs of the program.
  GroupsOfPrograms learn(const std::string& program, RunsByProgram earlier, Conditions conditions);
  /// Repeats the forecast with the next start that the starts of all runs predict, if they do.
  void correct_start(Assessment& assessment, const Run& run) const;

  std::map<std::string, Kind> kinds_;
  StartTimes starts_;
};

}  // namespace lapcast
