#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "fleet/fleet.h"
#include "remote/slurm_nodes.h"

namespace lapcast {

/// Returns a fleet file of a cluster: a [[machine]] for each of its types of nodes, with comments
/// that say what they are and what is to be filled in: the prices, which Slurm does not know. The
/// file can be read as it is. `login` is the ssh host of the login node, empty when this machine
/// has Slurm's commands; `today` is a date such as "2026-11-22".
std::string slurm_fleet_text(const std::vector<NodeType>& types, const std::string& login,
                             const std::string& today);

/// Returns the machines that an entry with every_node_type stands for: one for each type of node
/// with a usable node, in order of their names "NAME/TYPE", at the entry's price and with its other
/// requests to Slurm.
std::vector<FleetMachine> machines_of(const FleetMachine& entry,
                                      const std::vector<NodeType>& types);

/// Replaces entries with every_node_type by their machines. `ask` returns the types of nodes of an
/// entry's cluster and partition. Throws Error when a cluster cannot be asked, has no usable node
/// for an entry, or a name comes twice.
Fleet with_node_types(const Fleet& fleet,
                      const std::function<Result<std::vector<NodeType>>(const Place&)>& ask);

/// Reads the `flags` of [machine.slurm]: options of sbatch and srun. Only those are accepted that
/// ask for resources, a place in the queue or accounting. Slurm's options that name a command or a
/// file, or that change how lapcast starts and finds its job, are refused; so are abbreviations,
/// which Slurm would complete.
class SlurmFlags {
 public:
  /// Takes the next entry: "--qos=low", "--qos", "low", "-c4", "-c". The reason names the flag.
  Result<void> add(const std::string& entry);
  /// Returns one argument "--name=value" or "--name" for each option; the reason when the last one
  /// lacks its value.
  Result<std::vector<std::string>> take();

 private:
  Result<void> add_option(std::string_view shown, std::string_view name, bool has_value,
                          std::string_view value);
  Result<void> add_value(std::string_view value);

  std::vector<std::string> arguments_;
  std::string pending_;  // the name of an option whose value is the next entry; empty = none
};

}  // namespace lapcast
