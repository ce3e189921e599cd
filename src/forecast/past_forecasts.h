#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/seconds.h"
#include "forecast/forecast.h"

namespace lapcast {

/// Describes a training by the properties that are compared with those of other trainings.
struct ComparedTraining {
  std::string program;  // never empty; errors of forecasts of one program are alike
  std::string version;  // of program, framework and settings: runs that share it are more alike
  std::string machine;  // machine type and batch size, on which laps last alike; empty = not known
  std::string source;   // owner of the run: several runs of one owner say little more than one
  double slow_start = 0;  // ln(first lap / steady lap)
  double log_laps = 0;    // ln(full laps of the whole training)
  double log_lap = 0;     // ln(seconds of a steady lap)
};

/// Returns the numbers of a training from the profile of what was observed; the caller fills in the
/// texts. `first_lap` and the steady laps of the profile must be > 0.
ComparedTraining situation_of(const LapProfile& profile, const TrainingPlan& plan);

/// Describes a run that finished, and the error of its forecast from as much of it as was observed
/// of the run that is forecast now.
struct PastForecast {
  ComparedTraining training;
  double log_ratio = 0;  // ln(time that the rest took / time forecast for the rest)
};

/// Returns ln(real rest / forecast rest), cut at +-0.7 (half or double); the rest is what comes
/// after `observed`. Returns 0 when one of the rests is not > 0.
double log_ratio_of(Seconds real, Seconds forecast, Seconds observed);

/// Holds the past forecasts that a forecast may learn from, and counts those that are not
/// independent.
class PastForecasts {
 public:
  PastForecasts() = default;
  explicit PastForecasts(std::vector<PastForecast> all);

  bool empty() const { return all_.empty(); }
  std::span<const PastForecast> all() const { return all_; }
  /// Returns how many past forecasts have the program and the source of number i, itself included.
  double runs_of_source(std::size_t i) const { return runs_of_source_[i]; }
  /// Returns how many sources the program of number i has.
  double sources_of_program(std::size_t i) const { return sources_of_program_[i]; }

 private:
  std::vector<PastForecast> all_;
  std::vector<double> runs_of_source_;
  std::vector<double> sources_of_program_;
};

/// Says how a forecast has to be corrected, by the errors of past ones.
struct PastErrors {
  double bias = 0;               // the rest takes exp(bias) times what is forecast
  double half_width = 0;         // of the 95 % interval of ln(rest)
  double weight = 0;             // of the evidence: 1 = one run exactly like this one, 0 = none
  std::size_t runs = 0;          // past forecasts of the same program
  std::size_t same_machine = 0;  // sources among them with the same machine type and batch size
};

/// Returns the errors to expect. Past forecasts of the same program give the bias (the weighted
/// median of their log ratios, drawn towards 0 where few are alike or they disagree) and the spread
/// about it; those on the same machine also say what a lap should take; those of other programs
/// only give a spread. Weights are Gaussian kernels in slow_start, log_laps and log_lap
/// (docs/forecast.md, section 5).
PastErrors past_errors(const ComparedTraining& now, const PastForecasts& past_forecasts);

/// Returns the forecast with the part after `observed` corrected. Its own interval counts as far as
/// the evidence weighs less than one and a half runs.
Interval<Seconds> with_past_errors(const Interval<Seconds>& total, Seconds observed,
                                   const PastErrors& errors);

}  // namespace lapcast
