#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "forecast/learning_curve.h"
#include "history/assessment.h"
#include "history/learned_epochs.h"
#include "history/live_forecast.h"
#include "history/moments.h"
#include "history/track_record.h"
#include "report/forecast_report.h"
#include "store/store.h"

namespace lapcast {

/// Forecasts runs. Every command uses it, so that all of them show the same number for the same run
/// and plan. It knows the contents of the store when it was made, not runs stored later. Several
/// threads may call forecast() and undisturbed() at once.
class RunForecaster {
 public:
  /// Forecasts each run from its own laps alone.
  RunForecaster() = default;

  /// Corrects each forecast by the finished runs of the same program (TrackRecord), and takes the
  /// cost of a validation that a run did not reach from a run that did. Each run learns from the
  /// newest 200 runs of its sweep, or 80 of its program. The runs with the ids `left_out` teach
  /// nothing. The store must outlive the forecaster.
  explicit RunForecaster(const Store& store, std::set<std::string> left_out = {});

  /// Sets the conditions for all later forecasts. Without conditions a forecast is as measured, but
  /// for an exclusive machine undisturbed as far as the laps show.
  void wish(std::optional<Conditions> conditions) { wish_ = conditions; }

  /// Sets the method for all later forecasts. A paper's method uses a run's own laps and the
  /// validations of other runs, and nothing else that was learned.
  void take(Method method) { method_ = method; }

  /// Returns the forecast of `plan`; fields of it that are 0 come from the plan that the run was
  /// asked for, and then from the one that the program reported. With `first_epochs` > 0 it uses
  /// only the laps of that many epochs. The run must be as stored: with masked secrets it is not
  /// recognized as a run of its program.
  Assessment forecast(const Run& run, const TrainingPlan& plan = {}, std::int64_t first_epochs = 0);

  /// Returns the forecast of the same plan for a machine without the load of others, or the reason
  /// why there is none.
  Result<Forecast> undisturbed(const Run& run, const TrainingPlan& plan = {}) {
    return forecast_under(Conditions::undisturbed, run, plan, 0).forecast;
  }

  /// Returns the correction for the forecasts of a running program with this context, from the
  /// newest finished runs of its program. The function does not use the store, so that a forked
  /// process may call it, but not two threads.
  PastErrorsFor past_errors_of(const RunContext& context) const;

 private:
  Assessment forecast_under(Conditions conditions, const Run& run, const TrainingPlan& plan,
                            std::int64_t first_epochs);
  Assessment corrected_by_others(Conditions conditions, const Run& run, const TrainingPlan& plan,
                                 std::int64_t first_epochs);
  std::vector<Run> same_start_as(const Run& run) const;
  std::vector<Run> finished_of(const RunContext& context, std::size_t most,
                               const std::set<std::string>& left_out = {}) const;
  TrackRecord record_of(const Run& run, const std::set<std::string>& left_out = {}) const;
  const TrackRecord& record_for(const Run& run);
  /// Returns what the stored runs of the same sweep say, including the run itself; nothing for a
  /// run that was not stored when the forecaster was made.
  const Moments& moments_of(const Run& run, Conditions conditions);
  /// Holds the runs of one sweep or program from which moments are computed, by machine. Moments of
  /// different machines are independent, so only those of a requested machine are computed.
  struct RunsOfMachines {
    struct OfMachine {
      std::vector<Run> runs;
      Moments::RunsByProgram earlier;
    };
    std::string of;  // id of a sweep, or the program, and the kind of laps
    std::map<std::string, OfMachine> machines;
  };
  RunsOfMachines& runs_of_machines(const Run& run, const std::string& of);
  std::string content_of(const Run& run);
  std::string content_of(const RunContext& context);
  std::span<const ValidationSource> sources_for(const Run& run);
  /// Returns the newest runs of the program of a run, and reads them only once for successive
  /// callers.
  std::vector<Run> take_runs_of(const RunContext& context);

  /// Returns the newest runs that the store held, from old to new.
  std::vector<Run> newest_runs(RunFilter filter, std::size_t most) const;

  const Store* store_ = nullptr;  // null: only a run's own laps are used
  std::optional<Conditions> wish_;
  Method method_ = Method::lapcast;
  std::set<std::string> left_out_;
  std::int64_t held_ = 0;  // Store::held() when this was made
  std::mutex mutex_;       // guards the store and everything below
  std::map<std::pair<std::string, std::string>, TrackRecord>
      records_;                                    // by program file and kind of laps
  std::optional<RunsOfMachines> newest_machines_;  // of the last request
  /// Holds moments by conditions, sweep or program, and machine.
  std::map<std::tuple<Conditions, std::string, std::string>, Moments> moments_;
  /// Holds sources by program and kind of laps.
  std::map<std::pair<std::string, std::string>, std::vector<ValidationSource>> sources_;
  std::pair<std::string, std::vector<Run>> runs_of_program_;  // already read, for take_runs_of()
  /// Holds descriptions by sweep, which tell the files of its program; nullopt if the store has no
  /// such sweep.
  std::map<std::string, std::optional<std::string>> contents_;
};

/// Returns the plan with the number of epochs that was learned for the run's settings. Returns a
/// plan that has a length, and any plan if nothing was learned, unchanged.
TrainingPlan with_learned_epochs(TrainingPlan plan, const Run& run,
                                 const LearnedBySettings& learned);

struct ForecastRequest {
  TrainingPlan plan;
  std::int64_t first_epochs = 0;     // > 0: uses only the laps of that many epochs
  std::optional<TrainingGoal> goal;  // trains until it is reached; the plan's epochs are the limit
  bool alone = false;                // uses no other run
};

/// Returns a row for each run, in order: its forecast, and the real time if the run reached the end
/// of the plan. The rows point to `runs`.
std::vector<ForecastRow> forecast_runs(const Store& store, std::span<const Run> runs,
                                       const ForecastRequest& request);

/// Parses a goal such as "val_accuracy=0.75". Smaller values are better if the name says so
/// (smaller_is_better()), or with `lower`. Throws Error (usage) for a text that is not NAME=NUMBER.
TrainingGoal parse_target(const std::string& text, bool lower);

/// Returns the goal as text for titles, such as "val_accuracy >= 0.75" or "val_accuracy not better
/// for 5 reports".
std::string describe(const TrainingGoal& goal);

}  // namespace lapcast
