#include "energy/training_energy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <variant>
#include <vector>

#include "core/units.h"
#include "energy/counted_power.h"
#include "energy/interval_arithmetic.h"
#include "energy/power_table.h"

namespace lapcast {
namespace {

TrainingPower as_power(const FirstSeconds& first, EnergySource source) {
  return {first.seconds, first.joules, first.watts, source};
}

/// Returns when the first lap began, in seconds since the start of the run; 0 without laps.
double begin_of_training(const LapLog& log) {
  return log.laps.empty() ? 0 : from_ns(log.laps.front().begin_ns).count();
}

/// Returns the power of a run by a meter, which must have observed it from its beginning.
std::optional<TrainingPower> power_by_meter(const Run& run, const PowerSeries& meter) {
  const auto begin = parse_utc(run.context.started_at);
  if (!begin) return std::nullopt;
  const auto begin_s = static_cast<double>(begin->time_since_epoch().count());
  const Result<FirstSeconds> first = first_seconds(meter, begin_s, begin_s + run.wall().count(),
                                                   begin_s + begin_of_training(*laps_of(run)));
  if (!first) return std::nullopt;
  return as_power(*first, EnergySource::measured);
}

/// Returns what one kind of counter in the lap log says, or nothing if there was none.
std::optional<FirstSeconds> first_seconds_of(const LapLog& log,
                                             LoadSample::Field LoadSample::*milliwatts) {
  std::vector<PowerReading> readings;
  for (const LoadSample& load : log.loads)
    if (load.*milliwatts)
      readings.push_back(
          {from_ns(load.at_ns).count(), static_cast<double>(*(load.*milliwatts)) * 1e-3});
  const PowerSeries series = power_series(readings);
  if (series.readings.empty()) return std::nullopt;
  const Result<FirstSeconds> first =
      first_seconds(series, 0, series.readings.back().at_s, begin_of_training(log));
  if (!first) return std::nullopt;
  return *first;
}

/// Returns a part whose power is from a table, as if it had been observed for that time.
FirstSeconds at_constant_power(const Interval<double>& watts, double seconds) {
  return {seconds, watts.mid * seconds, watts};
}

/// Says what was counted of a machine with so many accelerators, and what is assumed.
std::string basis_of(bool cpus, bool gpus, int accelerators) {
  std::string counted = cpus ? gpus ? "CPU and GPU" : "CPU" : "GPU";
  std::string assumed = cpus ? "" : "CPU, ";
  if (!gpus && accelerators > 0) assumed += "GPU, ";
  return fmt::format("{} counted; assumed: {}the rest of the machine (x{:.3g} of these)", counted,
                     assumed, with_rest_of_machine(Interval<double>::exactly(1)).mid);
}

/// Adds the power until the first lap, by counters; a part without one has its later power.
void add_start_up(TrainingPower& power, const LapLog& log, double later_cpus, double later_gpus) {
  const auto start = start_up_of(log);
  if (!start) return;
  const auto cpus = mean_watts(log, &LoadSample::cpu_mw, *start);
  const auto gpus = mean_watts(log, &LoadSample::gpu_mw, *start);
  if (const auto idle = idle_power_of(log)) power.idle_gpu_watts = idle->watts;
  if (!cpus && !gpus) return;
  const double sum = cpus.value_or(later_cpus) + gpus.value_or(later_gpus);
  power.start_up_watts = with_rest_of_machine(Interval<double>::exactly(sum)).mid;
  power.start_up_seconds = start->seconds().count();
}

std::optional<TrainingPower> power_by_counters(const Run& run) {
  if (!has_laps(run.outcome)) return std::nullopt;
  const MachineDescription& machine = run.context.machine;
  const MachineType& type = run.context.machine_type;
  const auto log = laps_of(run);
  std::optional<FirstSeconds> cpus = first_seconds_of(*log, &LoadSample::cpu_mw);
  std::optional<FirstSeconds> gpus = first_seconds_of(*log, &LoadSample::gpu_mw);
  if (!cpus && !gpus) return std::nullopt;
  const int count = accelerators_of(machine, type);
  const double seconds = std::max(cpus ? cpus->seconds : 0, gpus ? gpus->seconds : 0);
  const std::string basis = basis_of(cpus.has_value(), gpus.has_value(), count);
  if (!cpus) {
    const auto watts = cpus_in_use(machine, type);
    if (!watts) return std::nullopt;
    cpus = at_constant_power(*watts, seconds);
  }
  if (!gpus && count > 0) {
    const auto watts = accelerators_in_use(machine.accelerators.front().model, count);
    if (!watts) return std::nullopt;
    gpus = at_constant_power(*watts, seconds);
  }
  if (!gpus) gpus = at_constant_power({}, seconds);
  const Interval<double> observed = with_rest_of_machine(Interval<double>::exactly(
      joules_of_training(*cpus, seconds).mid + joules_of_training(*gpus, seconds).mid));
  TrainingPower power{seconds, observed.mid, with_rest_of_machine(sum(cpus->watts, gpus->watts)),
                      EnergySource::counters, basis};
  add_start_up(power, *log, cpus->watts.mid, gpus->watts.mid);
  return power;
}

/// Returns the power in W that the terms of owned hardware say, or nothing.
std::optional<double> watts_of_terms(const Offer& offer) {
  const auto* owned = std::get_if<Owned>(&offer.terms);
  if (owned == nullptr || !(owned->power_kw > 0)) return std::nullopt;
  return owned->power_kw * 1000;
}

/// Returns the energy in J, with the intervals of time and power as independent errors.
Interval<double> joules_of(const TrainingPower& power, const Interval<Seconds>& time) {
  const FirstSeconds first{power.seconds, power.joules, power.watts};
  const auto joules = [&](Seconds seconds) { return joules_of_training(first, seconds.count()); };
  const Interval<double> by_power = joules(time.mid);
  const double mid = by_power.mid;
  if (!(mid > 0)) return {};
  const Interval<double> by_time{joules(time.low).mid / mid, 1, joules(time.high).mid / mid};
  return product(by_power, by_time);
}

}  // namespace

const char* to_string(EnergySource source) {
  constexpr const char* kNames[] = {"measured", "counters", "predicted"};  // in the enum's order
  return kNames[static_cast<std::size_t>(source)];
}

std::optional<TrainingPower> power_of_run(const Run& run, const PowerSeries* meter) {
  if (meter != nullptr)
    if (auto power = power_by_meter(run, *meter)) return power;
  if (auto power = power_by_counters(run)) return power;
  const auto watts = machine_in_use(run.context.machine, run.context.machine_type);
  if (!watts) return std::nullopt;
  return TrainingPower{.watts = *watts};
}

std::optional<Interval<double>> EnergyEstimator::watts_of_accelerators(const Offer& offer) {
  if (offer.accelerator.empty() || offer.accelerator_count <= 0) return std::nullopt;
  const auto [entry, is_new] = watts_.try_emplace(offer.accelerator);
  if (is_new) entry->second = accelerators_in_use(offer.accelerator, 1);
  if (!entry->second) return std::nullopt;
  return with_rest_of_machine(scaled(*entry->second, offer.accelerator_count));
}

std::optional<GridFactor> EnergyEstimator::grid_of(const Offer& offer) {
  if (grams_per_kwh_) return grid_factor_of_user(*grams_per_kwh_);
  if (offer.region.empty()) return std::nullopt;
  const auto [entry, is_new] = grids_.try_emplace(offer.provider + "/" + offer.region);
  if (is_new) entry->second = grid_factor(offer.provider, offer.region);
  return entry->second;
}

std::optional<TrainingEnergy> EnergyEstimator::energy_of(const std::optional<TrainingPower>& power,
                                                         const Interval<Seconds>& time,
                                                         const Offer& offer) {
  TrainingPower used = power.value_or(TrainingPower{});
  Interval<double> pue = pue_of(offer.provider);
  const bool is_measured = used.source != EnergySource::predicted;
  if (const auto watts = watts_of_terms(offer); watts && !is_measured) {
    used.watts = Interval<double>::exactly(*watts);
    pue = Interval<double>::exactly(1);
  } else if (!power) {
    const auto of_offer = watts_of_accelerators(offer);
    if (!of_offer) return std::nullopt;
    used.watts = *of_offer;
  }
  TrainingEnergy energy;
  energy.kwh = scaled(product(joules_of(used, time), pue), 1 / kJoulesPerKwh);
  energy.source = used.source;
  if (!used.basis.empty())
    energy.basis = fmt::format("{}, the data centre (PUE {:.3g})", used.basis, pue.mid);
  if (!std::isfinite(energy.kwh.high)) return std::nullopt;
  if (used.start_up_watts) {
    const double start_up = *used.start_up_watts * used.start_up_seconds * pue.mid / kJoulesPerKwh;
    energy.start_up_kwh = std::min(start_up, energy.kwh.mid);
    energy.start_up_watts = used.start_up_watts;
    energy.training_watts = used.watts.mid;
    energy.idle_gpu_watts = used.idle_gpu_watts;
  }
  energy.grid = grid_of(offer);
  if (energy.grid) energy.co2_g = product(energy.kwh, energy.grid->grams_per_kwh);
  return energy;
}

}  // namespace lapcast
