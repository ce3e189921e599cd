#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "machine/ordered_hardware.h"

namespace lapcast {

/// Stands for the machine that lapcast itself runs on.
struct LocalPlace {
  friend bool operator==(const LocalPlace&, const LocalPlace&) = default;
};

/// Names a machine that is reached through ssh.
struct SshPlace {
  std::string host;              // as the user's own ssh config knows it, or `config`
  std::string config = {};       // the ssh config that has this host alone; empty = the user's own
  std::string known_hosts = {};  // the file with its host key; empty = as the config says
  /// Names the hosts of the nodes after the first, where each run is on several nodes at once.
  std::vector<std::string> others = {};
  friend bool operator==(const SshPlace&, const SshPlace&) = default;
};

/// Stands in SlurmPlace::time_limit_ns for a job that may run as long as it needs.
inline constexpr std::int64_t kNoTimeLimit = std::int64_t{1} << 62;

/// Describes what sbatch requests from a Slurm cluster. Empty members are not requested.
struct SlurmPlace {
  std::string login;  // ssh host of the login node; empty = this machine has the cluster's commands
  std::string partition;
  std::string constraint;
  std::string gres;  // "gpu:a100:4"
  std::string account;
  std::int64_t time_limit_ns = 0;  // 0 = the partition's own; kNoTimeLimit
  std::vector<std::string> flags;  // further arguments of sbatch
  int nodes = 0;                   // of the job; 0 = one node with one task
  int gpus = 0;                    // of each node; 0 = none are asked for by number
  friend bool operator==(const SlurmPlace&, const SlurmPlace&) = default;
};

/// Stands for a machine that is rented before anything runs on it. Whoever starts a run puts the
/// place of the rented machine in its place first.
struct RentedPlace {
  std::string by;     // the adapter that rents it: "gcloud"
  std::string type;   // the provider's name of the machine type: "g2-standard-4"
  std::string image;  // what it is started from; empty = the adapter's own choice
  friend bool operator==(const RentedPlace&, const RentedPlace&) = default;
};

using Place = std::variant<LocalPlace, SshPlace, SlurmPlace, RentedPlace>;

/// Returns whether the place is this machine.
inline bool is_this_machine(const Place& place) {
  return std::holds_alternative<LocalPlace>(place);
}

/// Returns whether the place has a queue of its own. Runs wait in the queue, and the queue keeps
/// them from sharing hardware.
inline bool is_queued(const Place& place) {
  return std::holds_alternative<SlurmPlace>(place);
}

/// Returns whether the machine still has to be rented.
inline bool is_to_rent(const Place& place) {
  return std::holds_alternative<RentedPlace>(place);
}

/// Returns on how many nodes at once a run of the place is; 1 where the place does not say.
int nodes_of(const Place& place);

/// Returns the places of the nodes that a run without a queue is on, each alone, the head first.
/// Any other place is its own only node.
std::vector<Place> nodes_in(const Place& place);

/// Returns whether a program that is suspended leaves its machine free for other programs. A queued
/// job does not, because it keeps its nodes, and a program on several nodes cannot be suspended on
/// all of them at the same moment.
inline bool can_suspend(const Place& place) {
  return !is_queued(place) && nodes_of(place) == 1;
}

/// Returns the GPUs of each node that a place asks its queue for by their number; 0 = none.
int gpus_asked_of(const Place& place);

/// Makes a place that asks for GPUs by number ask for at most so many of each node. Any other place
/// stays as it is.
void ask_for_at_most(Place& place, int gpus_of_node);

/// Returns whether nobody else gets a part of the nodes of a run, as the place asks for it.
bool asks_for_whole_nodes(const Place& place);

/// Makes a place with a queue ask it for so much time (SlurmPlace::time_limit_ns), whatever it
/// asked for before with a limit or a flag. Any other place stays as it is.
void ask_for_time(Place& place, std::int64_t ns);

/// Returns "ssh gpu-box", "slurm gpu avx512 gpu:a100:4 by login1" or "rented gcloud g2-standard-4";
/// empty for this machine.
std::string describe(const Place& place);

/// Returns the place of a machine that an ssh config of its own makes reachable, such as a rented
/// one. `host` must be a name that no other machine ever gets.
Place place_by_config(std::string host, std::string config);

/// Returns the place as the machine itself may know it: without names of files of this machine.
Place without_own_files(Place place);

/// Returns is_queued() of a place from its describe() text, such as RunContext::place.
bool is_queued(std::string_view description);

/// Says how a data set gets to a machine.
enum class DataSource {
  on_machine,  // the data is on the machine already: it is checked and never sent
  send,        // the data is sent once, and later only what changed
  setup,       // the set-up command fetches the data, which is checked afterwards
};

/// Describes data that the program reads.
struct DataSet {
  std::string path;  // absolute, or relative to the program's folder: the same on every machine
  std::int64_t bytes = 0;  // of all files together; 0 = not known
  DataSource source = DataSource::on_machine;
  friend bool operator==(const DataSet&, const DataSet&) = default;
};

/// Says where a machine of a fleet is and what it needs before a program can run on it.
struct PlaceSetup {
  Place place;
  std::string group;   // machines of one group share hardware: one probe at a time; empty = none
  std::string folder;  // lapcast's own folder on it; empty = ~/.cache/lapcast
  std::string needs;   // vector extension that its CPU must have, such as "AVX-512"; empty = any
  std::string setup;   // shell command, run in the sent folder once per content; empty = none
  std::vector<DataSet> data;
  /// What a rented machine must have, once it is known which one it is; none = any.
  std::optional<OrderedHardware> ordered = {};
  friend bool operator==(const PlaceSetup&, const PlaceSetup&) = default;
};

}  // namespace lapcast
