#pragma once

#include <optional>

#include "core/money.h"
#include "core/seconds.h"
#include "forecast/forecast.h"
#include "rank/spot_training.h"

namespace lapcast {

/// Says what a ranking makes as small as possible.
enum class Objective { cost, time, score, energy, co2 };

/// Returns whether a ranking by this needs the energy of every choice.
constexpr bool is_by_energy(Objective by) {
  return by == Objective::energy || by == Objective::co2;
}

/// Holds what the user asked for. Limits are compared with the mids of the intervals, unless `risk`
/// says how likely the deadline may be missed.
struct Preferences {
  Objective by = Objective::cost;
  Method method = Method::lapcast;  // that the candidates are forecast by
  double weight = 0.5;              // of cost in the score, 0 to 1; time has 1 - weight
  std::optional<Seconds> deadline;
  std::optional<double> risk;  // of missing the deadline that is accepted, 0 to 1; needs a deadline
  std::optional<Money> max_cost;
  std::optional<double> min_accuracy;
  bool with_energy = false;             // people see energy, too
  std::optional<double> grams_per_kwh;  // of CO2 equivalent, for every offer
  std::optional<double> max_co2_g;
  SpotAssumptions spot = {};
};

}  // namespace lapcast
