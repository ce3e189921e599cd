#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "machine/description.h"
#include "machine/place.h"
#include "remote/host.h"
#include "remote/slurm_nodes.h"

namespace lapcast {

/// Holds what a node of a Slurm entry says of itself, or why none did.
struct NodeAnswer {
  std::optional<MachineFacts> facts;
  std::string why;       // without facts
  bool is_busy = false;  // without facts: no node was free in time; probes may still get one
};

/// Asks a node of the place for its facts. Submits a job of some seconds (srun), which starts
/// within `patience` or not at all. Powers no node up: where the cluster does that, and pays for
/// it, only a node that is up is asked. Where sinfo says that none can be used, that is
/// the answer. The host must have Slurm's commands, and lapcast in its folder.
NodeAnswer ask_node(const Host& host, const PlaceSetup& setup, Seconds patience,
                    const Interrupt& interrupt);

/// Returns whether the cluster powers its nodes up as jobs need them, by what
/// `scontrol show config` prints.
bool powers_nodes_up(std::string_view config);

/// Returns a node that is up and may be free, by lines "NAME STATE FEATURES" of sinfo: one with all
/// features that the constraint joins by '&'. Returns nothing where all are powered down, or busy.
std::optional<std::string> node_that_is_up(std::string_view sinfo, std::string_view constraint);

/// Returns why no node of the place can be used now, such as "drained or down"; an empty text where
/// one can, busy or not, and where no node is known. `types` are those of its partition.
std::string why_none_is_usable(const std::vector<NodeType>& types, const SlurmPlace& place);

/// Returns the answer that a failed srun means, from its exit status and its stderr.
NodeAnswer explain_srun(int status, const std::string& standard_error, Seconds patience);

}  // namespace lapcast
