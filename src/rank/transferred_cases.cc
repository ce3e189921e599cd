#include "rank/transferred_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "core/units.h"
#include "extrapolate/counted_model.h"
#include "extrapolate/device_and_host.h"
#include "extrapolate/transfer.h"
#include "stats/distributions.h"

namespace lapcast {
namespace {

constexpr std::uint64_t kSeed = 46;
// A share of a card may be faster than its share when its neighbours are idle: assumed.
constexpr double kShareSd = 0.35;
// d ln lap / d ln batch below which the host decides the lap (docs/shortlist.md).
constexpr double kHostBoundElasticity = 0.3;
// ln(lap on usual CPUs / lap on a usual accelerator), and how much it differs: assumed.
constexpr NormalPart kCpuAgainstAccelerator{2.5, 1.5};
// ln(an exchange between accelerators there / at home, as a share of a lap): assumed.
constexpr double kLinkSd = 1;

/// Returns the items of the kinds, then of the probes, then of the home machine; of counted work
/// the item that it is counted for.
std::vector<MachineItem> items_of(std::span<const MachineKind> kinds, const HomeMeasurement& home) {
  std::vector<MachineItem> items;
  for (const MachineKind& kind : kinds) items.push_back(item_of(*kind.accelerator, home.precision));
  for (const ProbeLap& probe : home.probes)
    items.push_back(item_of(*probe.accelerator, home.precision));
  if (home.accelerator != nullptr) {
    items.push_back(item_of(*home.accelerator, home.precision));
  } else {
    items.push_back({"3090", PrecisionClass::half});
  }
  return items;
}

/// Collects what other programs of the user took on machines of one sort, each machine once.
/// `Machine` is what tells them apart: an item of the factors, or CPUs.
template <class Machine>
struct OwnOnMachines {
  std::vector<Machine> machines;  // of the program first, then those that only others ran on
  std::vector<OwnTimes> times;
  std::set<std::size_t> used;  // places of the machines that others ran on

  /// Adds the programs; machine_of() says on which machine a lap was, or that it is of the other
  /// sort.
  template <class MachineOf>
  void add(std::span<const OwnProgram> programs, const MachineOf& machine_of) {
    for (const OwnProgram& program : programs) {
      OwnTimes own;
      std::vector<Machine> seen;
      for (const OwnProgram::Lap& lap : program.laps) {
        const std::optional<Machine> machine = machine_of(lap);
        if (!machine || std::ranges::find(seen, *machine) != seen.end()) continue;
        seen.push_back(*machine);
        own.log_seconds.push_back(lap.log_seconds);
        own.noise.push_back(std::hypot(kLapNoise, lap.sd));
      }
      if (seen.size() < 2) continue;
      for (const Machine& machine : seen) own.places.push_back(place_of(machine));
      used.insert(own.places.begin(), own.places.end());
      times.push_back(std::move(own));
    }
  }

  void count_in(TransferredCases& cases) const {
    cases.own_programs += times.size();
    cases.own_machines += used.size();
  }

 private:
  /// Returns the last place of a machine: the program was measured on that one, if on any.
  std::size_t place_of(const Machine& machine) {
    const auto found = std::ranges::find(machines.rbegin(), machines.rend(), machine);
    if (found != machines.rend()) return static_cast<std::size_t>(machines.rend() - found) - 1;
    machines.push_back(machine);
    return machines.size() - 1;
  }
};

bool has_counted_work(const HomeMeasurement& home) {
  return home.flops && home.activations;
}

/// Returns the place of the first probe among the items.
std::size_t place_of_probes(const Gaussian& program, const HomeMeasurement& home) {
  return program.size() - 1 - home.probes.size();
}

void add_to(DeviceAndHost& model, std::size_t place, const HomeLap& lap) {
  model.add_lap(place, lap.batch, std::log(lap.seconds));
  if (lap.busy_share && *lap.busy_share > 0)
    model.add_busy(place, lap.batch, std::log(lap.seconds * *lap.busy_share));
}

/// Returns d ln lap / d ln batch between the smallest and the largest batch size.
std::optional<double> elasticity_of(const HomeMeasurement& home) {
  const auto [least, most] = std::ranges::minmax_element(home.laps, {}, &HomeLap::batch);
  if (least->batch == most->batch) return std::nullopt;
  return std::log(most->seconds / least->seconds) / std::log(most->batch / least->batch);
}

/// Returns the cases where laps at two batch sizes, the busy share or a probe tell the host's part.
std::vector<double> by_device_and_host(const Gaussian& program, const HomeMeasurement& home) {
  Gaussian relative = program;
  for (double& value : relative.covariance) value -= kFlatSd * kFlatSd;
  const std::size_t at_home = program.size() - 1;
  DeviceAndHost model(std::move(relative));
  for (const HomeLap& lap : home.laps) add_to(model, at_home, lap);
  const std::size_t first = place_of_probes(program, home);
  for (std::size_t i = 0; i < home.probes.size(); ++i) add_to(model, first + i, home.probes[i].lap);
  std::vector<DeviceAndHost::Asked> asked;
  for (std::size_t i = 0; i < program.size(); ++i) asked.push_back({i, home.laps.front().batch});
  std::vector<double> cases = model.draws(asked, kTransferCases, kSeed);
  for (double& value : cases) value -= std::log(home.laps.front().seconds);
  return cases;
}

/// Returns the cases of a lap at one batch size: the device decides it, or the host does.
std::vector<double> by_one_lap(Gaussian program, const HomeMeasurement& home) {
  condition(program, program.size() - 1, std::log(home.laps.front().seconds), kLapNoise);
  std::vector<double> cases = draws(program, kTransferCases, kSeed);
  SeededNumbers random(kSeed + 1);
  const double at_home = std::log(home.laps.front().seconds);
  for (std::size_t s = 0; s < kTransferCases; ++s) {
    const bool is_host_bound = random.uniform() < kHostBoundShare;
    for (std::size_t i = 0; i < program.size(); ++i) {
      double& value = cases[s * program.size() + i];
      value = is_host_bound && i + 1 < program.size() ? kHostBoundSd * random.normal()
                                                      : value - at_home;
    }
  }
  return cases;
}

/// Returns the cases of counted work: a lap on the last item, by the model of counted work.
std::vector<double> by_counted_work(Gaussian program, const HomeMeasurement& home) {
  const double at_home = std::log(home.laps.front().seconds);
  const NormalPart lap =
      has_counted_work(home)
          ? counted_lap(*home.flops, *home.activations, home.laps.front().batch)
          : NormalPart{at_home - kCpuAgainstAccelerator.mean, kCpuAgainstAccelerator.sd};
  condition(program, program.size() - 1, lap.mean, lap.sd * kFactorInflation);
  const std::size_t first = place_of_probes(program, home);
  for (std::size_t i = 0; i < home.probes.size(); ++i)
    if (home.probes[i].lap.batch == home.laps.front().batch)
      condition(program, first + i, std::log(home.probes[i].lap.seconds), kLapNoise);
  std::vector<double> cases = draws(program, kTransferCases, kSeed);
  for (double& value : cases) value -= at_home;
  return cases;
}

/// Returns the cases of machines without an accelerator, and after them of those that were
/// measured.
std::vector<double> by_cpus(std::vector<CpuMachine> machines, const HomeMeasurement& home,
                            TransferredCases& own_counts) {
  const std::size_t first = machines.size();
  const HomeLap& lap = home.laps.front();
  const double at_home = std::log(lap.seconds);
  std::vector<NormalPart> measured;
  for (const ProbeLap& probe : home.probes)
    if (probe.cpu && probe.lap.batch == lap.batch) {
      machines.push_back(*probe.cpu);
      measured.push_back({std::log(probe.lap.seconds), kLapNoise});
    }
  machines.push_back(home.cpu.value_or(CpuMachine{}));
  measured.push_back({at_home, kLapNoise});
  if (home.accelerator != nullptr)
    measured.back() = {at_home + kCpuAgainstAccelerator.mean, kCpuAgainstAccelerator.sd};
  const std::size_t count = machines.size();
  OwnOnMachines<CpuMachine> own{std::move(machines), {}, {}};
  own.add(home.own_programs, [](const OwnProgram::Lap& lap) { return lap.cpu; });
  own.count_in(own_counts);
  Gaussian program = first_of(given_own_programs(program_on_cpus(own.machines), own.times), count);
  for (std::size_t i = 0; i < measured.size(); ++i)
    condition(program, first + i, measured[i].mean, measured[i].sd);
  std::vector<double> cases = draws(program, kTransferCases, kSeed + 3);
  for (double& value : cases) value -= at_home;
  return cases;
}

/// Returns the cases of machines with an accelerator, and after them of those that were measured.
std::vector<double> by_accelerators(std::span<const MachineKind> kinds, HomeMeasurement home,
                                    const AcceleratorTable& table, const MachineFactors& factors,
                                    TransferredCases& own_counts) {
  std::erase_if(home.probes, [&home](const ProbeLap& probe) {
    return probe.accelerator == nullptr || probe.workers != home.workers();
  });
  OwnOnMachines<MachineItem> own{items_of(kinds, home), {}, {}};
  const std::size_t count = own.machines.size();
  own.add(home.own_programs, [&](const OwnProgram::Lap& lap) -> std::optional<MachineItem> {
    if (lap.accelerator == nullptr) return std::nullopt;
    return item_of(*lap.accelerator, lap.precision.value_or(home.precision));
  });
  own.count_in(own_counts);
  const Gaussian program =
      first_of(given_own_programs(
                   program_on(with_items(factors, own.machines, table), own.machines), own.times),
               count);
  const bool tells_host =
      elasticity_of(home) || home.laps.front().busy_share || !home.probes.empty();
  return home.accelerator == nullptr ? by_counted_work(program, home)
         : tells_host                ? by_device_and_host(program, home)
                                     : by_one_lap(program, home);
}

MeasuredKind measured_by(const ProbeLap& probe, const HomeMeasurement& home) {
  if (!probe.training) return {std::log(probe.lap.seconds / home.laps.front().seconds), kLapNoise};
  const Interval<Seconds>& all = *probe.training;
  const Seconds laps = std::max(all.mid - home.fixed, all.mid * 1e-6);
  return {std::log(laps / home.laps_of_training.mid),
          std::log(all.high / std::max(all.low, all.high * 1e-6)) / (2 * kZ95), all};
}

/// Returns what other numbers of workers than at home add to the kinds that have them, case by
/// case, with a number for each of those kinds.
std::vector<double> by_workers(std::span<const MachineKind> kinds, const HomeMeasurement& home) {
  std::vector<int> numbers;
  for (const MachineKind& kind : kinds)
    if (kind.workers != home.workers()) numbers.push_back(kind.workers);
  if (numbers.empty()) return {};
  std::span<const TrainingOnWorkers> runs = home.on_workers;
  if (home.accelerator == nullptr) runs = runs.first(1);
  return log_ratios_of_training(runs, numbers, kTransferCases, kSeed + 4,
                                home.tells_exchange() ? kLinkSd : 0, home.needs);
}

/// Returns why no ratio to other machines may hold, and what would help.
std::vector<std::string> warnings_of(const HomeMeasurement& home) {
  if (home.accelerator == nullptr) return {};
  const auto elasticity = elasticity_of(home);
  const auto& busy = home.laps.front().busy_share;
  if (elasticity && *elasticity < kHostBoundElasticity)
    return {fmt::format(
        "no ratio holds for sure: a batch twice as large takes only {:.2f} times as long, so the "
        "host decides the lap at home; measure on a candidate",
        std::exp2(*elasticity))};
  if (busy && *busy < kLeastBusyShare)
    return {
        fmt::format("no ratio holds for sure: the device was busy in {} of the lap only; measure "
                    "on a candidate",
                    format_share(*busy))};
  if (!elasticity && !busy && home.probes.empty())
    return {
        "one batch size says nothing of the host's part: a second one, such as --batch N,4N, "
        "narrows the intervals more than a probe"};
  return {};
}

}  // namespace

int HomeMeasurement::workers() const {
  return on_workers.empty() ? 1 : static_cast<int>(std::lround(on_workers.front().workers.all()));
}

bool HomeMeasurement::tells_exchange() const {
  return accelerator != nullptr &&
         std::ranges::any_of(on_workers, [](const auto& run) { return run.workers.all() > 1; });
}

std::optional<MeasuredKind> measured_on(const MachineKind& kind, const HomeMeasurement& home) {
  if (kind.share < 1) return std::nullopt;
  const bool is_as_home = !kind.cpu && kind.accelerator == home.accelerator;
  if (is_as_home && kind.workers == home.workers()) return MeasuredKind{0, kLapNoise};
  for (const TrainingOnWorkers& run : home.on_workers)
    if (is_as_home && run.workers == Workers{1, double(kind.workers)} &&
        run.settings == home.on_workers.front().settings)
      return measured_by({.accelerator = kind.accelerator, .training = run.training}, home);
  for (const ProbeLap& probe : home.probes) {
    if (probe.workers != kind.workers) continue;
    const bool is_same = kind.cpu ? !kind.cpu->name.empty() && probe.cpu == kind.cpu
                                  : probe.accelerator == kind.accelerator;
    if (is_same && probe.lap.batch == home.laps.front().batch) return measured_by(probe, home);
  }
  return std::nullopt;
}

TransferredCases transferred_cases(std::span<const MachineKind> kinds, const HomeMeasurement& home,
                                   const AcceleratorTable& table, const MachineFactors& factors) {
  TransferredCases result{{}, warnings_of(home)};
  std::vector<MachineKind> accelerated;
  std::vector<CpuMachine> cpus;
  std::vector<std::size_t> places;  // of each kind among those of its sort
  std::vector<std::optional<MeasuredKind>> measured;
  for (const MachineKind& kind : kinds) {
    places.push_back(kind.cpu ? cpus.size() : accelerated.size());
    kind.cpu ? cpus.push_back(*kind.cpu) : accelerated.push_back(kind);
    measured.push_back(measured_on(kind, home));
  }
  std::vector<double> on_accelerators, on_cpus;
  if (!accelerated.empty())
    on_accelerators = by_accelerators(accelerated, home, table, factors, result);
  if (!cpus.empty()) on_cpus = by_cpus(std::move(cpus), home, result);
  const std::vector<double> on_workers = by_workers(kinds, home);
  auto of_workers = on_workers.begin();
  SeededNumbers random(kSeed + 2);
  for (std::size_t s = 0; s < kTransferCases; ++s) {
    const double of_share = kShareSd * random.normal();
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      const std::vector<double>& cases = kinds[i].cpu ? on_cpus : on_accelerators;
      double value = cases[s * (cases.size() / kTransferCases) + places[i]];
      if (kinds[i].workers != home.workers()) value += *of_workers++;
      if (measured[i]) value = measured[i]->log_ratio + measured[i]->sd * random.normal();
      if (kinds[i].share < 1) value += of_share - std::log(kinds[i].share);
      result.log_ratio.push_back(value);
    }
  }
  return result;
}

}  // namespace lapcast
