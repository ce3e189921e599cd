#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/seconds.h"
#include "forecast/lap_profile.h"
#include "forecast/part.h"
#include "forecast/plan.h"
#include "stats/intervals.h"

namespace lapcast {

/// Returns why a run that goes on, or was stopped, cannot be forecast: it has fewer than three
/// steady laps.
std::optional<Reason> why_too_early(const LapProfile& profile);

/// Returns the cost of one validation with plan.validation_samples samples, or as observed if
/// samples are not reported. If the program or the user announced validations, none was due yet and
/// samples are not reported, it is announced_cost(). Returns nothing when the training has none,
/// and the reason when the cost is not known.
Result<std::optional<ValidationCost>> cost_of_validation(const LapProfile& profile,
                                                         const TrainingPlan& plan);
/// Returns the time of all `count` validations of a training, its first and last one included.
Interval<Seconds> cost_of_all_validations(const ValidationCost& cost, double count);
/// Returns the time of one epoch boundary: measured, else by kPriors.boundary_laps.
Interval<Seconds> cost_of_boundary(const LapProfile& profile);

/// Adds up times with independent errors: the mids, and the squares of the distances from mid to
/// bound. A time above 0 gets its bounds from errors(), so that they are above 0, too.
struct QuadratureSum {
  Seconds mid{0};
  double below_squared = 0;  // in s^2
  double above_squared = 0;
  void add(const Interval<Seconds>& time);
  /// Returns the error of the sum, which must be above 0.
  LogErrors errors() const;
};

/// Names the methods of forecasting: lapcast's own, and those of Malta 2021.
enum class Method {
  lapcast,
  epoch,                      // eq. 4.1, 5.1
  iteration_with_validation,  // eq. 5.3
  iteration,                  // eq. 5.4: without validation
  first_iteration,            // this method and the next two take one lap time for all laps
  second_iteration,
  mean_of_2_to_10,
};
std::string_view to_string(Method method);  // "lapcast", "iteration-with-validation" ...
/// Returns the method of that name; nothing when there is none.
std::optional<Method> method_named(std::string_view name);
inline constexpr Method kAllMethods[] = {
    Method::lapcast,        Method::epoch,           Method::iteration_with_validation,
    Method::iteration,      Method::first_iteration, Method::second_iteration,
    Method::mean_of_2_to_10};

/// Holds one part of the forecast time; the mids of all parts sum to the total's mid. The 95 %
/// interval covers the measurement error; for init and warm-up also the variation between starts.
struct ForecastPart {
  PartKind kind = PartKind::laps;
  Interval<Seconds> time;  // may be negative for warm-up and earlier_runs
  Provenance provenance = Provenance::measured;
};

/// Holds the forecast time of the whole run, from process start to end.
struct Forecast {
  Method method = Method::lapcast;
  /// Gives the 95 % interval by the measurement error of this run and, for `lapcast`, the spread
  /// between runs.
  Interval<Seconds> total;
  /// Gives the relative standard deviation of the total, assumed or learned (docs/forecast.md); 0
  /// for the papers' methods.
  double spread_between_runs = 0;
  std::vector<ForecastPart> parts;
  /// Gives the time of the warm-up laps as steady ones, over which the warm-up part is the excess.
  Seconds steady_in_warm_up{0};
  std::string record;  // says what the track record changed; empty = nothing
};

/// Returns the forecast, or the reason when the method lacks what it needs, such as a whole epoch
/// or the cost of a validation. `spread_between_runs`, a relative standard deviation, counts for
/// Method::lapcast only.
Result<Forecast> forecast(const LapProfile& profile, const TrainingPlan& plan,
                          Method method = Method::lapcast,
                          double spread_between_runs = kPriors.spread_between_runs);

// The next two functions are the formulas of Malta 2021, in seconds. n_ep is the number of epochs;
// n_it is the number of iterations per epoch, the unrounded quotient of samples and batch size, as
// in Malta's tables.

/// Returns the time by eq. 5.1; eq. 4.1 is the same with init = 0.
double epoch_method(double init, double first_epoch, double later_epoch, double n_ep);

/// Holds what eq. 5.3 and 5.4 take from the first laps of a run.
struct IterationTimes {
  double init = 0;
  double first = 0;   // T(E1 It1)
  double second = 0;  // T(E1 It2), or the mean of iterations 2 to 10
  double first_validation = 0;
  double later_validation = 0;
};

/// Returns the time by eq. 5.3; eq. 5.4 is the same without validations. (As printed, eq. 5.4
/// counts the first iteration twice; Malta's tables do not.)
double iteration_method(const IterationTimes& times, double n_it, double n_ep);

/// Forecasts by a method other than Method::lapcast; forecast() calls it. The interval follows from
/// the variation of a lap: all laps are taken to last as long as one, so its deviation counts in
/// full for each. The spread between runs does not count.
Result<Forecast> papers_forecast(const LapProfile& profile, const TrainingPlan& plan,
                                 Method method);

/// Returns the part of that kind, which a forecast by Method::lapcast must have.
ForecastPart& part_of(Forecast& forecast, PartKind kind);
const ForecastPart& part_of(const Forecast& forecast, PartKind kind);

/// Returns the middle of the warm-up of a forecast by Method::lapcast if its steady laps take
/// exp(log_factor) times as long: the excess of its laps over those, which becomes 0 instead of
/// changing its sign.
Seconds warm_up_with_laps(const Forecast& forecast, double log_factor);

/// Returns the middle of the total of a forecast by Method::lapcast if its laps take
/// exp(log_factor) times as long, with warm_up_with_laps(); unchanged where that is not above 0.
Seconds total_with_laps(const Forecast& forecast, double log_factor);

}  // namespace lapcast
