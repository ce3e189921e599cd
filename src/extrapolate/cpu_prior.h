#pragma once

#include <optional>
#include <span>
#include <string>

#include "extrapolate/gaussian.h"

namespace lapcast {

/// Describes what a program may use of a machine without an accelerator; 0 and empty = not known.
struct CpuMachine {
  std::string name;    // tells machines of one kind apart; empty = any machine of the kind
  double threads = 0;  // logical CPUs that the program may use
  std::optional<double> quota = {};  // CPU time per wall time; none = no limit
  double clock_ghz = 0;
  std::string isa = {};  // the widest vector extension: "AVX2"
  friend bool operator==(const CpuMachine&, const CpuMachine&) = default;
};

/// Returns the prior of ln(seconds of a lap) of one program on machines without an accelerator, up
/// to a constant of the program: linear in the logarithms of the CPUs, of the clock and of what
/// a vector instruction computes, with slopes that differ from program to program, and an own
/// deviation of each machine, which is larger where something of it is not known. docs/shortlist.md
/// has the values, which are assumed.
Gaussian program_on_cpus(std::span<const CpuMachine> machines);

}  // namespace lapcast
