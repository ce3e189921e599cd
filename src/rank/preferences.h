#pragma once

#include <optional>

#include "core/money.h"
#include "core/seconds.h"
#include "forecast/forecast.h"
#include "rank/spot_training.h"

namespace lapcast {

/// Lists what a ranking can minimise.
enum class Objective { cost, time, score, energy, co2 };

/// Returns whether a ranking by this objective needs the energy of every choice.
constexpr bool is_by_energy(Objective by) {
  return by == Objective::energy || by == Objective::co2;
}

/// Holds what the user asked for. Limits apply to the mids of the intervals, unless `risk` gives
/// the accepted probability of missing the deadline.
struct Preferences {
  Objective by = Objective::cost;
  Method method = Method::lapcast;  // by which the candidates are forecast
  double weight = 0.5;              // of cost in the score, 0 to 1; time has 1 - weight
  std::optional<Seconds> deadline;
  std::optional<double> risk;  // accepted chance of missing the deadline, 0 to 1; needs one
  std::optional<Money> max_cost;
  std::optional<double> min_accuracy;
  bool with_energy = false;             // tables for people show energy, too
  std::optional<double> grams_per_kwh;  // CO2 equivalent, for every offer
  std::optional<double> max_co2_g;
  SpotAssumptions spot = {};
};

}  // namespace lapcast
