#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/seconds.h"
#include "extrapolate/accelerator.h"
#include "extrapolate/cpu_prior.h"
#include "extrapolate/machine_factors.h"
#include "extrapolate/own_programs.h"
#include "extrapolate/scaled_training.h"

namespace lapcast {

/// Holds the lap of a program at one batch size, as measured on its home machine.
struct HomeLap {
  double batch = 1;
  double seconds = 0;
  std::optional<double> busy_share;  // of the device, 0 to 1
};

/// Holds a lap of the same program on another machine.
struct ProbeLap {
  const AcceleratorSpec* accelerator = nullptr;  // of one card; null on a machine without one
  HomeLap lap;
  std::optional<CpuMachine> cpu = {};  // the machine, if it has no accelerator
  int workers = 1;                     // that the lap is of
  /// Is the forecast of the whole training there; none = as the lap says.
  std::optional<Interval<Seconds>> training = {};
};

/// Is the busy share of the device below which the host decides a lap, so that no ratio may hold.
inline constexpr double kLeastBusyShare = 0.5;

/// Holds what is known of a program on its home machine, and what probes elsewhere added.
struct HomeMeasurement {
  const AcceleratorSpec* accelerator = nullptr;  // of the home machine; null = none
  PrecisionClass precision = PrecisionClass::fp32;
  std::string precision_from = "default";  // or "option", "profile", "program": what says so
  std::vector<HomeLap> laps;               // the first is at the batch size of the training
  std::vector<ProbeLap> probes = {};       // on machines with other accelerators than the home
  std::optional<std::int64_t> peak_bytes;  // of the device's memory
  /// Is the main memory that the program needs, if the home has no accelerator.
  std::optional<std::int64_t> main_bytes = {};
  /// Holds, without an accelerator at home, the counted work of a lap at that batch size.
  std::optional<double> flops, activations;
  std::optional<CpuMachine> cpu = {};  // the home, if it has no accelerator and is known
  Interval<Seconds> laps_of_training;  // the part of the training that goes with the lap, at home
  Seconds fixed{0};                    // the rest, taken to be the same everywhere
  Seconds run_time{0};                 // of a run at home, from its start to its end; 0 = not known
  /// Holds the training at home on some workers, the first as in `laps`, if the program is known to
  /// train on as many accelerators of a machine as it is told; empty = it uses one.
  std::vector<TrainingOnWorkers> on_workers = {};
  EpochsByBatch needs = {};  // epochs that were learned for `on_workers`; empty = all have as many
  std::vector<OwnProgram> own_programs = {};  // others of the same user; they move the factors

  /// Returns how many workers `laps` are of.
  int workers() const;
  /// Returns whether a lap on several accelerators was measured, which tells what exchanges between
  /// them take; those between processes on CPUs say nothing of accelerators.
  bool tells_exchange() const;
};

/// Names a kind of machine: by its accelerators and the share of the card that it has, or by its
/// CPUs.
struct MachineKind {
  const AcceleratorSpec* accelerator = nullptr;
  double share = 1;
  std::optional<CpuMachine> cpu = {};  // set if it has no accelerator
  int workers = 1;                     // that train on it: one on each accelerator
  friend bool operator==(const MachineKind&, const MachineKind&) = default;
};

/// Holds ln(training on a kind / training at home), both without the fixed part, case by case, with
/// a number for each kind: on as many workers it is that of a lap.
struct TransferredCases {
  std::vector<double> log_ratio;
  std::vector<std::string> warnings;  // why no ratio may hold, and what would help
  /// Counts the own programs that moved the factors of the kinds, and the machines that these ran
  /// on.
  std::size_t own_programs = 0;
  std::size_t own_machines = 0;
};

/// Is how many cases transferred_cases() makes.
inline constexpr std::size_t kTransferCases = 500;

/// Holds what was measured on a kind.
struct MeasuredKind {
  double log_ratio = 0;  // of its training, without the fixed part, to that at home
  double sd = 0;
  std::optional<Interval<Seconds>> training = {};  // none = at home, or as the lap says
};

/// Returns what was measured on a kind at the batch size of the training, at home or by a probe.
std::optional<MeasuredKind> measured_on(const MachineKind& kind, const HomeMeasurement& home);

/// Returns cases for the kinds. Those with an accelerator: without one at home by counted work,
/// else by an assumed speed against CPUs; with laps at two batch sizes or the busy share by
/// DeviceAndHost; else by one lap, which the host may decide. Those without: by program_on_cpus().
/// The user's own programs condition both (given_own_programs()).
/// On other numbers of workers than at home, which `home.on_workers` has to allow, also by
/// WorkerScaling. `home` has a lap.
TransferredCases transferred_cases(std::span<const MachineKind> kinds, const HomeMeasurement& home,
                                   const AcceleratorTable& table, const MachineFactors& factors);

}  // namespace lapcast
