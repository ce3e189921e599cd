#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/seconds.h"
#include "energy/training_energy.h"
#include "history/assessment.h"
#include "history/learned_epochs.h"
#include "history/time_by_epochs.h"
#include "price/quote.h"
#include "run/run.h"

namespace lapcast {

/// Describes one way of training the model: a program, a machine type and a combination of
/// settings, with the forecast from one or more runs.
struct Candidate {
  /// Names the run from which the time is forecast: candidates of one run are fast or slow
  /// together. If it is empty, the candidate is independent of all others.
  std::string run_id;
  std::string machine_type;
  /// Names the wanted offer, or a machine type if no offer has that name; empty = every offer for
  /// machine_type.
  std::string offer;
  std::string settings;            // "batch=128"; empty = none
  Result<Interval<Seconds>> time;  // of the whole training, or the reason why it is not known
  // The time of the whole training as a mean over moments, in kCases equally likely cases shared by
  // all candidates with the same `machine`; null = `time` has the interval.
  std::shared_ptr<const std::vector<double>> cases = nullptr;
  std::string machine = "";
  std::string where = "";       // "here", "ssh gpu-box", "imported"; only for display
  std::string conditions = "";  // "as-measured" or "undisturbed"; only equal ones are compared
  double wait_s = 0;            // in a cluster's queue before the start; never billed
  Demand demand = {};           // on the machine and its provider, besides the time
  double epochs = 0;            // of the training that `time` is for; 0 = its plan counts steps
  TimeByEpochs time_by_epochs = nullptr;    // time.mid at `epochs`; empty = not known
  double start_s = 0;                       // of the program until its first lap; 0 = not known
  std::optional<double> checkpoint_s = {};  // measured in the program; nullopt = it made none
  std::optional<double> accuracy;           // the best of a full run with these settings
  std::optional<TrainingPower> power = {};  // nullopt = an offer may still have it (energy_of())
  std::vector<std::int64_t> trained_epochs = {};  // of trainings with the mean `epochs`, if several
  std::string_view provenance = {};  // "transferred" or the like; empty = measured on its machine
};

/// Returns the run as a candidate of a ranking, without wait and accuracy, which the caller adds.
/// If there is no forecast, Candidate::time has the reason. A time by a paper's method has no
/// interval, because such a method does not estimate its error.
Candidate candidate_of(const Run& run, const Assessment& assessment);

/// Adds to a candidate what was learned of its settings. If its forecast is for the mean number of
/// epochs of at least two trainings, its time gets the spread of one more training around that
/// mean: in epochs t(0.975, n - 1) sd sqrt(1 + 1 / n) (Hahn and Meeker, Statistical Intervals,
/// 1991, ch. 4.7), independent of the error of the forecast, and never below one epoch. Its cases
/// stay those of the mean number.
void add_learned(Candidate& candidate, const LearnedEpochs& learned);

/// Returns the training time of a candidate, which must be known, in each case: its own cases, or
/// else those of its interval.
std::vector<double> time_cases(const Candidate& candidate);

}  // namespace lapcast
