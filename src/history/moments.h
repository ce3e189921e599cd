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

/// Returns the half-width of the 95 % interval of ln(time) of the rest of a run that goes on, by
/// how the speed of its machine wanders: as it is known of such machines and as the run's laps
/// show. 0 where the laps show nothing or nothing is left.
double wander_of_rest(const RunContext& context, const LapProfile& profile, Seconds rest);

/// Returns the standard deviation of ln(time) by which a short run may be off against the other
/// short runs of a race, of a machine of whose speed nothing was seen: it has one start and one
/// moment of the quick wander. With `on_one_machine` the slow wander meets all of them nearly
/// alike.
double spread_of_moment(const RunContext& context, bool on_one_machine);

/// Holds what runs that were made at different moments tell about each other: how the speed of
/// their machines wanders, and how fast each candidate is on average (SpeedModel). A candidate is a
/// program with its settings on a machine type.
class Moments {
 public:
  /// Holds runs by what tells their programs apart: those of one text are runs of one program whose
  /// files did not change. The oldest run comes first.
  using RunsByProgram = std::map<std::string, std::vector<Run>>;

  Moments() = default;
  /// Learns from the laps of these runs, of one `program`, that have any of the conditions. Those
  /// on one machine with as many CPUs, all with a quota or all without, share its moments.
  /// `earlier` runs only teach how the speed of the same machines wanders: where a candidate of one
  /// program was measured in several sweeps, its times show how far hours differ. Those of this
  /// program teach how it starts, too. Draws of Moments of different machines are independent where
  /// their `stream` differs.
  Moments(std::vector<Run> runs, const std::string& program, RunsByProgram earlier,
          Conditions conditions, std::uint64_t stream = 0);

  /// Returns the assessment of a run with its forecast corrected by all runs of its candidate: the
  /// laps are those of the mean over moments, the warm-up is what the run's first laps took longer
  /// than those (LapProfile::next_warm_up where it is known), the start is that of StartTimes, and
  /// the interval predicts one future run. Comes after with_compiled_code(). Sets
  /// the assessment's cases too. What else the forecast says stays as it is. It is returned
  /// unchanged where it has no forecast or no run of the candidate is known.
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
  /// Holds the runs on a machine that it slows alike when it is busy.
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
  /// Forecasts again with the next start by the starts of all runs, where they tell it.
  void correct_start(Assessment& assessment, const Run& run) const;

  std::map<std::string, Kind> kinds_;
  StartTimes starts_;
};

}  // namespace lapcast
