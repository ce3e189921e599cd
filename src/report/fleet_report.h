#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "machine/description.h"
#include "table/table.h"

namespace lapcast {

/// Holds what is known of a machine besides its description.
struct MachineExtras {
  std::vector<std::string> gpu_uuids;  // in the order of the accelerators; empty = not known
  std::string torch, cudnn;            // versions for the Python of the PATH; empty = not known
};

/// Returns the description of a machine, with the properties of table 1 of Carneiro 2018. The notes
/// say what could not be determined.
Table machine_table(const MachineDescription& machine, const MachineExtras& extras = {});

struct CheckedMachine {
  std::string name;
  std::string place;  // "ssh gpu-box"; empty = this machine
  MachineCheck check;
  std::string same_as = {};  // the name of an earlier one with the same hardware
};

/// Returns a table with one row for each machine: whether it is ready, what it has, and how fast
/// its link is. Notes say why a machine was not reached and what it lacks. It is followed by a
/// machine_table() of each place that was reached.
std::vector<Table> fleet_check_tables(const std::vector<CheckedMachine>& machines);

/// Returns the table of testbeds as papers print it: for each machine its CPU, clock, cores and
/// threads, memory, and GPU with its CUDA cores and memory, and the versions of its software. A
/// machine with several kinds of GPUs has a row for each kind. The notes are those of
/// fleet_check_tables().
Table hardware_table(const std::vector<CheckedMachine>& machines);

/// Returns true if the machine was reached and lacks nothing that a probe needs.
bool is_ready(const MachineCheck& check);

/// Describes a file, a link or an empty folder to send.
struct SentFileRow {
  std::string path;
  std::string type;  // "file", "link", "empty folder"
  std::string part;  // "program", or the name of its data set
  std::int64_t bytes = 0;
};

/// Describes a file or folder that a default rule excludes.
struct UnsentFileRow {
  std::string path;
  std::string rule;        // "secret" or "version control, cache"
  std::int64_t bytes = 0;  // of a folder: of all files in it
};

/// Returns a table of what would be sent and a table of what default rules exclude; a note of each
/// has the sum.
std::vector<Table> sent_files_tables(const std::vector<SentFileRow>& sent,
                                     const std::vector<UnsentFileRow>& unsent);

}  // namespace lapcast
