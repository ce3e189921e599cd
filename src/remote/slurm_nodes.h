#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "machine/place.h"

namespace lapcast {

/// Describes nodes that Slurm cannot tell apart by CPUs, memory, features and gres: a kind of
/// machine, in one partition or several. Texts are safe to show on a terminal.
struct NodeType {
  std::string name;       // "gpu-64c-4xa100": partition, CPUs, accelerators; unique in its list
  std::string partition;  // "gpu", or "gpu,low" as sbatch takes several
  std::int64_t cpus = 0;  // of a node; of an older cluster they may be cores or threads
  std::string layout;     // "2:32:1": sockets, cores of each, threads of each
  std::int64_t memory_mib = 0;
  std::vector<std::string> features;
  std::string gres;                   // "gpu:a100:4" without what follows; empty = none
  std::int64_t time_limit_ns = 0;     // the shortest of its partitions; 0 = none has one
  std::int64_t longest_limit_ns = 0;  // 0 = a partition has none
  std::string node_list;              // "gpu[1-4],old7"
  std::int64_t nodes = 0;
  std::int64_t usable = 0;          // that are neither down, drained, reserved nor in maintenance
  std::vector<std::string> states;  // of those that are not usable, in words and in order
  /// Names the partitions that have these nodes, too, but are left out of `partition`: a job there
  /// would put running jobs of another one of the list out of their nodes.
  std::vector<std::string> preempting;
  /// Says what to ask sbatch for to get these nodes and no others.
  SlurmPlace place;
  friend bool operator==(const NodeType&, const NodeType&) = default;
};

/// Returns the options of sinfo whose output parse_sinfo() reads; without a partition, for all of
/// them. Without `tiers` no partition takes the place of another: for a sinfo that does not know
/// tiers and preempt modes.
std::vector<std::string> sinfo_options(const std::string& partition, bool tiers = true);

/// Returns the node types that sinfo printed with these options, in its order. Refuses everything
/// else, and more than 1000 types.
Result<std::vector<NodeType>> parse_sinfo(std::string_view text);

/// Returns whether nothing but a reservation keeps all nodes of a type from being used.
bool is_only_reserved(const NodeType& type);
/// Returns whether a job at the place `asked` can have a node of that type now: one that is usable,
/// or, where the place asks for a reservation, reserved.
bool can_have(const Place& asked, const NodeType& type);

/// Returns the place of a cluster whose commands are on the ssh host `login`; an empty `login`
/// means this machine.
Place cluster_at(const std::string& login, const std::string& partition);

/// Returns the place `asked` of a cluster, narrowed to nodes of that type.
Place narrowed_to(const Place& asked, const NodeType& type);

}  // namespace lapcast
