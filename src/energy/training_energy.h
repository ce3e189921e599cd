#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "core/seconds.h"
#include "energy/grid_factor.h"
#include "energy/power_series.h"
#include "price/offer.h"
#include "run/run.h"

namespace lapcast {

enum class EnergySource {
  measured,   // a meter at the plug
  counters,   // RAPL or NVML for what they count, tables for the rest of the machine
  predicted,  // from tables, or from other batch sizes
};

/// Returns "measured", "counters" or "predicted".
const char* to_string(EnergySource source);

/// Holds the power that a training draws from the plug of its machine.
struct TrainingPower {
  double seconds = 0;      // observed, from its beginning on
  double joules = 0;       // used in that time
  Interval<double> watts;  // afterwards
  EnergySource source = EnergySource::predicted;
  std::string basis = {};  // of counters: "GPU counted, CPU and the rest of the machine assumed"
  std::optional<double> start_up_watts = {};  // until the first lap, by counters
  double start_up_seconds = 0;
  std::optional<double> idle_gpu_watts = {};  // IdlePower of its GPUs
};

/// Holds the energy of a whole training, with what the data centre adds (PUE).
struct TrainingEnergy {
  Interval<double> kwh;
  EnergySource source = EnergySource::predicted;
  std::string basis = {};                // TrainingPower::basis, with the PUE
  std::optional<double> start_up_kwh;    // of these, where counters tell it
  std::optional<double> start_up_watts;  // of the machine, without the PUE, as the next one
  std::optional<double> training_watts;
  std::optional<double> idle_gpu_watts;
  std::optional<GridFactor> grid;         // nothing = no table has the region
  std::optional<Interval<double>> co2_g;  // grams of CO2 equivalent, by `grid`
};

/// Returns the power of a run from what was measured while it ran: readings of a meter at the plug,
/// in seconds since 1970, or else the counters in its lap log (RAPL of the CPUs, NVML of the GPUs).
/// Parts without a counter come from tables; if nothing was measured, all parts do. Returns nothing
/// when the tables lack a part of the machine.
std::optional<TrainingPower> power_of_run(const Run& run, const PowerSeries* meter = nullptr);

/// Estimates the energy of trainings under offers. It looks up each accelerator and each region
/// once, because the 100,000 offers of a ranking have only a few.
class EnergyEstimator {
 public:
  /// Takes the grid factor of all offers; without one, each offer has that of its region.
  explicit EnergyEstimator(std::optional<double> grams_per_kwh = {})
      : grams_per_kwh_(grams_per_kwh) {}

  /// Returns the energy of a training of that length under an offer, with the PUE of the offer's
  /// provider. If no power was measured, the power in the terms of owned hardware counts, without a
  /// PUE. If no power is known, that of the offer's accelerators counts. Returns nothing when that
  /// is not known either, or when the energy is not finite.
  std::optional<TrainingEnergy> energy_of(const std::optional<TrainingPower>& power,
                                          const Interval<Seconds>& time, const Offer& offer);

 private:
  std::optional<Interval<double>> watts_of_accelerators(const Offer& offer);
  std::optional<GridFactor> grid_of(const Offer& offer);

  std::optional<double> grams_per_kwh_;
  std::unordered_map<std::string, std::optional<Interval<double>>> watts_;  // of one accelerator
  std::unordered_map<std::string, std::optional<GridFactor>> grids_;
};

}  // namespace lapcast
