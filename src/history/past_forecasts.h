#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/seconds.h"
#include "forecast/forecast.h"

namespace lapcast {

/// Describes a training by the properties that are compared with those of other trainings. The
/// texts are compared for equality only; the caller chooses what they consist of.
struct ComparedTraining {
  std::string program;  // never empty; forecasts of one program have similar errors
  std::string version;  // of program, framework and settings; runs of another one count less
  std::string machine;  // machine type and batch size, which set the lap time; empty = not known
  std::string source;   // owner of the run; several runs of one owner say little more than one
  std::optional<double> slow_start;  // ln(first lap / steady lap); compared where both are known
  double log_laps = 0;               // ln(full laps of the whole training)
  double log_lap = 0;                // ln(seconds of a steady lap)
  double log_validated = 0;          // ln(1 + validation / laps until it, by their times)
};

/// Returns the numbers of a training from the profile of what was observed; the caller fills in the
/// texts. slow_start is empty if the first lap took no time, or if the next run has another
/// warm-up; a steady lap of no time counts as 1 ns.
ComparedTraining training_numbers(const LapProfile& profile, const TrainingPlan& plan);

/// Holds a replayed forecast: a run that finished, and the error of its forecast from as much of it
/// as was observed of the run that is forecast now.
struct PastForecast {
  ComparedTraining training;
  double log_ratio = 0;  // log_ratio_of()
};

/// Returns ln(real rest / forecast rest), cut at +-2.3 (a tenth or ten times). `real` and
/// `forecast` are times of the whole run, and a rest is what comes after the first `observed` of
/// it. Returns 0 when one of the rests is not > 0.
double log_ratio_of(Seconds real, Seconds forecast, Seconds observed);

/// Holds the past forecasts that a forecast may learn from, and counts how many of them share a
/// source or a program, because those are not independent.
class PastForecasts {
 public:
  PastForecasts() = default;
  explicit PastForecasts(std::vector<PastForecast> all);

  bool empty() const { return all_.empty(); }
  std::span<const PastForecast> all() const { return all_; }
  /// Returns how many past forecasts have the program and the source of all()[i], itself included.
  double runs_of_source(std::size_t i) const { return runs_of_source_[i]; }
  /// Returns how many sources the program of all()[i] has.
  double sources_of_program(std::size_t i) const { return sources_of_program_[i]; }

 private:
  std::vector<PastForecast> all_;
  std::vector<double> runs_of_source_;
  std::vector<double> sources_of_program_;
};

/// Says how to correct a forecast by the errors of past ones. The rest is the part of the run that
/// was not observed yet.
struct PastErrors {
  double bias = 0;  // the rest takes exp(bias) times what is forecast
  /// Give how far the 95 % interval of ln(rest) reaches below and above its middle.
  double below = 0, above = 0;
  double weight = 0;  // of the evidence, in runs: 1 = one run just like this one, 0 = none
  /// Says that hardly any past forecast is of a training like this one, so that the interval may
  /// only be wider than the forecast's own.
  bool only_widens = false;
  /// Gives the half-width of the 95 % interval of ln(rest) due to the wandering of the machine's
  /// speed, which is added to the forecast's own interval; 0 = not known, or included already.
  double wander = 0;
  std::size_t runs = 0;          // past forecasts of the same program
  std::size_t same_machine = 0;  // sources among them with the same machine type and batch size
  /// Gives the tear-down of the finished runs of the program; nothing where there are none. The
  /// bias is that of forecasts which knew it.
  std::optional<Interval<Seconds>> teardown = {};
};

/// Returns the time of a whole run with `teardown` in place of the tear-down of its forecast.
Interval<Seconds> with_teardown(const Interval<Seconds>& total, const Interval<Seconds>& forecast,
                                const Interval<Seconds>& teardown);

/// Gives the bias (PastErrors) of forecasts of one run for trainings of any length.
class PastBias {
 public:
  PastBias() = default;
  PastBias(const ComparedTraining& now, const PastForecasts& past_forecasts);
  /// Returns the bias for a training of exp(log_laps) full laps; 0 without past forecasts of the
  /// program.
  double at(double log_laps) const;
  /// Counts the sources with the same machine type and batch size.
  std::size_t same_machine() const { return same_machine_; }

 private:
  struct Error {
    double log_ratio = 0;
    double log_laps = 0;
    double far = 0, near = 0;  // its weight by either kernel, without the factor for lengths
  };
  /// Holds the bias, and the spread of the past forecasts about it.
  struct Estimate {
    double bias = 0;
    double spread = 0;
  };
  Estimate refined(const Estimate& estimate, std::span<const double> weights) const;
  double drawn_to_machine(const Estimate& estimate) const;

  std::vector<Error> errors_;  // of past forecasts of the program, the smallest log_ratio first
  std::size_t same_machine_ = 0;
  double pull_ = 0;  // ln(lap of their runs / lap of this run)
};

/// Returns the middle of the forecast of a whole run whose part after `observed` takes exp(bias)
/// times as long; `total` where the bias is 0 or nothing is left.
Seconds total_with_bias(Seconds total, Seconds observed, double bias);

/// Returns the errors to expect; weight 0 when no past forecast can be compared. Those of the same
/// program give the bias: the weighted median of their log ratios, drawn towards 0 where few are
/// alike or they disagree, and then that of the most alike, drawn towards the first one likewise.
/// Those on the same machine also draw the bias towards what a lap took in their runs. The interval
/// holds 95 % of the weight of their errors; those of other programs only widen it. Weights are
/// Gaussian kernels in the numbers of ComparedTraining (docs/forecast.md, section 5).
PastErrors past_errors(const ComparedTraining& now, const PastForecasts& past_forecasts);

/// Returns the forecast of a whole run with the part after `observed` corrected: multiplied by
/// exp(bias), with the interval of the errors. Where errors.weight is below 1.5 runs, that is mixed
/// with the forecast's own one, made wider by errors.wander, in proportion; with errors.only_widens
/// the wider of both counts. Its middle is total_with_bias(). Returns `total` itself when nothing
/// is known or nothing is left of the run.
Interval<Seconds> with_past_errors(const Interval<Seconds>& total, Seconds observed,
                                   const PastErrors& errors);

}  // namespace lapcast
