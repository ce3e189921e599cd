#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/seconds.h"
#include "machine/description.h"

namespace lapcast {

/// Holds what a machine says of itself when it is asked whether it can run probes.
struct MachineFacts {
  MachineDescription machine;
  std::string folder;                // lapcast's own there
  std::int64_t disk_free_bytes = 0;  // of the file system that the folder is on
  std::int64_t disk_bytes = 0;
  std::string python;  // "3.11.2"; empty = no python3 on the PATH
  std::string torch;   // versions in that Python; empty = none
  std::string tensorflow;
  std::vector<std::string> programs;  // of those that may be needed, which are on the PATH
  friend bool operator==(const MachineFacts&, const MachineFacts&) = default;
};

/// Adds to the facts how the machine can be reached and what it lacks.
struct MachineCheck {
  std::optional<Reason> unreachable;  // then nothing else is known
  MachineFacts facts;
  std::optional<Seconds> latency;          // there and back, the shortest of several; none = here
  std::optional<double> bytes_per_second;  // from here to there
  std::optional<Seconds> clock_offset;     // its clock less ours, known to half the latency
  std::vector<std::string> lacking;        // for a probe, each with its fix
  std::string node_not_asked;  // why the facts are those of a cluster's login node; empty =
                               // they are a node's, or the machine is no cluster
};

}  // namespace lapcast
