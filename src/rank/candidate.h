#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
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
  /// Names the run that the forecast is made from: candidates of one run are fast or slow together.
  /// When it is empty, the candidate is independent of all others.
  std::string run_id;
  std::string machine_type;
  /// Names the wanted offer, or, when no offer has that name, a machine type; empty = every offer
  /// for machine_type.
  std::string offer;
  std::string settings;            // "batch=128"; empty = none
  Result<Interval<Seconds>> time;  // of the whole training, or the reason why it is not known
  // The time of the whole training as a mean over moments, in kCases equally likely cases that go
  // together over the candidates with the same `machine`; null = the interval of `time` says it.
  std::shared_ptr<const std::vector<double>> cases = nullptr;
  std::string machine = "";
  std::string where = "";       // "here", "ssh gpu-box", "imported"; only for people
  std::string conditions = "";  // "as-measured" or "undisturbed"; only alike ones are compared
  double wait_s = 0;            // in a cluster's queue before the start; never billed
  Demand demand = {};           // of the machine and its provider, beside the time
  double epochs = 0;            // of the training that `time` is for; 0 = its plan counts steps
  TimeByEpochs time_by_epochs = nullptr;    // time.mid at `epochs`; nothing = not known
  double start_s = 0;                       // of the program, until its first lap; 0 = not known
  std::optional<double> checkpoint_s = {};  // of the program's own; nothing = it made none
  std::optional<double> accuracy;           // the best of a run to its end with these settings
  std::optional<TrainingPower> power = {};  // nothing = an offer may still say it (energy_of())
  std::vector<std::int64_t> trained_epochs = {};  // of trainings with the mean `epochs`, if several
};

/// Returns the run as a candidate of a ranking, without a wait and an accuracy, which the caller
/// adds. Where nothing is forecast, Candidate::time has the reason. The time by a paper's method is
/// without an interval: such a method says nothing of its error.
Candidate candidate_of(const Run& run, const Assessment& assessment);

/// Adds to a candidate what was learned of its settings. Where its forecast is for the mean number
/// of epochs of at least two trainings, its time gets the spread of one more training around that
/// mean: in epochs t(0.975, n - 1) sd sqrt(1 + 1 / n) (Hahn and Meeker, Statistical Intervals,
/// 1991, ch. 4.7), independent of the error of the forecast, and no fewer than one. Its cases stay
/// those of the mean number.
void add_learned(Candidate& candidate, const LearnedEpochs& learned);

/// Returns the training time of a candidate, which must be known, in each case: its own cases, else
/// those of its interval.
std::vector<double> time_cases(const Candidate& candidate);

}  // namespace lapcast
