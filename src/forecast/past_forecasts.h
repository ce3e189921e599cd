#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/interval.h"
#include "core/seconds.h"
#include "forecast/forecast.h"

namespace lapcast {

/// A training that is forecast, as far as others are compared with it.
struct ComparedTraining {
  std::string program;    // what trains; never empty. Forecasts of one program go wrong alike
  std::string version;    // of it, its framework, its settings: runs that share it are more alike
  std::string machine;    // type and batch size: laps of runs that share it take about as long;
                          // empty = not known
  std::string source;     // whose run: several of one source say little more than one
  double slow_start = 0;  // ln(first lap / steady lap)
  double log_laps = 0;    // ln(full laps of the whole training)
  double log_lap = 0;     // ln(seconds of a steady lap)
};

/// As the profile of what was seen tells; the texts are left to the caller. `first_lap` and the
/// steady laps of the profile must be > 0.
ComparedTraining situation_of(const LapProfile& profile, const TrainingPlan& plan);

/// A run that went to its end, and how it had been forecast when no more of it was seen than of the
/// one at hand.
struct PastForecast {
  ComparedTraining situation;
  double log_ratio = 0;  // ln(time that the rest took / time forecast for the rest)
};

/// ln(real rest / forecast rest), the rest being what comes after `seen`; held within +-0.7 (a
/// forecast by half or double). 0 when one of the rests is not > 0.
double log_ratio_of(Seconds real, Seconds forecast, Seconds seen);

/// PastForecasts that a forecast may learn from, and how many of them stand for the same thing.
class PastForecasts {
 public:
  PastForecasts() = default;
  explicit PastForecasts(std::vector<PastForecast> all);

  bool empty() const { return all_.empty(); }
  std::span<const PastForecast> all() const { return all_; }
  /// Of the precedent with that index: those of its program from its source, itself included ...
  double runs_of_source(std::size_t i) const { return runs_of_source_[i]; }
  /// ... and the sources that its program has.
  double sources_of_program(std::size_t i) const { return sources_of_program_[i]; }

 private:
  std::vector<PastForecast> all_;
  std::vector<double> runs_of_source_;
  std::vector<double> sources_of_program_;
};

/// What precedents say of a forecast.
struct PastErrors {
  double bias = 0;               // the rest takes exp(bias) times what is forecast
  double half_width = 0;         // of the 95 % interval of ln(rest)
  double weight = 0;             // how much evidence that is: 1 = one run just like this, 0 = none
  std::size_t runs = 0;          // precedents of the same program
  std::size_t same_machine = 0;  // of which sources on the same machine type and batch size
};

/// From precedents of the same program the bias (weighted median of their log ratios, drawn towards
/// 0 where few are alike or they disagree) and the spread about it; from those on the same machine
/// also what a lap should take; from other programs a spread only. Weights: Gaussian kernels in
/// slow_start, log_laps and log_lap. docs/forecast.md, section 5.
PastErrors outlook(const ComparedTraining& now, const PastForecasts& past_forecasts);

/// The forecast with its rest after `seen` as the outlook has it. Its own interval counts where the
/// evidence weighs less than two runs.
Interval<Seconds> with_outlook(const Interval<Seconds>& total, Seconds seen,
                               const PastErrors& outlook);

}  // namespace lapcast
