#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/seconds.h"
#include "machine/description.h"
#include "machine/machine_type.h"

namespace lapcast {

/// Holds the power of an accelerator or a CPU by its data sheet.
struct RatedPower {
  std::string_view name;    // words that its model name has: "a100 sxm"
  double watts = 0;         // of one accelerator, or one socket
  std::string_view source;  // "NVIDIA data sheet"
  int year = 0;             // of the data sheet
};

/// Returns the row of the table whose words are all in the model name of an accelerator ("NVIDIA
/// A100-SXM4-80GB", "A100"); of several, the one with the most words. Returns nothing if no row
/// matches.
std::optional<RatedPower> accelerator_power(std::string_view model);
/// Returns the same for a CPU ("AMD EPYC 7763 64-Core Processor").
std::optional<RatedPower> cpu_power(std::string_view model);

/// Returns the power in W that an accelerator needs while it trains, from its rated power: 0.67
/// times the rated power (0.14 to 1.02). These are the median, and the range widened by a tenth on
/// either side, of the trainings of energy-zeus at the power limit that the GPU is sold with; the
/// interval of two GPU types covers the third (docs/money.md).
Interval<double> accelerator_in_use(double rated_watts);

/// Returns the power in W of `count` accelerators of a model, or nothing when no table has it.
std::optional<Interval<double>> accelerators_in_use(std::string_view model, int count);

/// Returns the power in W that a machine draws from the plug while it trains, by tables: its
/// accelerators and its share of the CPUs (those of the machine type, with its quota), times 1.25
/// (1.05 to 1.7) for memory, disks, fans and the power supply. An 8 x H100 node of energy-mlperf
/// needs 1.21 times its accelerators' rated power; a DGX H100 is rated at 1.82 times (NVIDIA data
/// sheet, 2023). Returns nothing when a part is in no table; GPUs that the environment of the
/// machine type hides (CUDA_VISIBLE_DEVICES) are not counted.
std::optional<Interval<double>> machine_in_use(const MachineDescription& machine,
                                               const MachineType& type);

/// Returns the watts of a whole machine, from those of its CPUs and accelerators.
Interval<double> with_rest_of_machine(const Interval<double>& parts);

/// Returns the power in W of the CPUs that a machine type may use, by tables; nothing when they are
/// in no table and their number is not known.
std::optional<Interval<double>> cpus_in_use(const MachineDescription& machine,
                                            const MachineType& type);

/// Returns how many of a machine's accelerators a machine type may use.
int accelerators_of(const MachineDescription& machine, const MachineType& type);

/// Returns the factor from a machine's energy to that of its data centre (PUE): the mean that large
/// providers publish of their data centres, with 5 %; for others 1.3 (1 to 1.6; the mean of 2024 in
/// the survey of the Uptime Institute is 1.56).
Interval<double> pue_of(std::string_view provider);

}  // namespace lapcast
