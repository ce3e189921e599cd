#pragma once

#include <string>
#include <vector>

#include "machine/machine_check.h"
#include "report/table.h"

namespace lapcast {

/// Holds a machine of a fleet file and what came of reaching it.
struct CheckedMachine {
  std::string name;
  std::string place;  // "ssh gpu-box"; empty = this machine
  MachineCheck check;
};

/// Returns one row for each machine: whether it was reached or why not, the way to it, what it has
/// and what it lacks; then, for each that was reached, its description.
std::vector<Table> fleet_check_tables(const std::vector<CheckedMachine>& machines);

/// Returns true when probes can run on the machine as far as can be seen.
bool is_ready(const MachineCheck& check);

}  // namespace lapcast
