#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "machine/description.h"
#include "report/table.h"

namespace lapcast {

/// Returns the description of a machine, with the properties of table 1 of Carneiro 2018. The notes
/// say what could not be found out.
Table machine_table(const MachineDescription& machine);

/// Holds a machine of a fleet file and what came of reaching it.
struct CheckedMachine {
  std::string name;
  std::string place;  // "ssh gpu-box"; empty = this machine
  MachineCheck check;
};

/// Returns a table with one row for each machine: whether it was reached or why not, the way to it,
/// what it has and what it lacks. A description of each machine that was reached follows.
std::vector<Table> fleet_check_tables(const std::vector<CheckedMachine>& machines);

/// Returns true when the machine was reached and lacks nothing that is known to be needed.
bool is_ready(const MachineCheck& check);

/// Describes a file, a link or a folder that is sent.
struct SentFileRow {
  std::string path;
  std::string type;  // "file", "link", "empty folder"
  std::string part;  // "program", or the data set that it belongs to
  std::int64_t bytes = 0;
};

/// Describes a file or folder that a default rule keeps from being sent.
struct UnsentFileRow {
  std::string path;
  std::string rule;        // "secret" or "version control, cache"
  std::int64_t bytes = 0;  // of all that lies in a folder
};

/// Returns a table of what would be sent, with the sum in a note, and one of what default rules
/// leave out.
std::vector<Table> sent_files_tables(const std::vector<SentFileRow>& sent,
                                     const std::vector<UnsentFileRow>& unsent);

}  // namespace lapcast
