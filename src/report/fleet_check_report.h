#pragma once

#include <string>
#include <vector>

#include "machine/machine_check.h"
#include "report/table.h"

namespace lapcast {

/// A machine of a fleet file and what came of reaching it.
struct CheckedMachine {
  std::string name;
  std::string place;  // "ssh gpu-box"; empty = this machine
  MachineCheck check;
};

/// A row for each machine: reached or why not, the way to it, what is there, what is lacking; then,
/// for each that was reached, its description table (method 6.11).
std::vector<Table> fleet_check_tables(const std::vector<CheckedMachine>& machines);

/// True when probes can run on it as far as can be seen.
bool is_ready(const MachineCheck& check);

}  // namespace lapcast
