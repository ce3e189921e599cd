#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "probe/probe_request.h"

namespace lapcast {

/// Which of many probes may run beside each other: machine types that share CPUs of one host run one
/// at a time, machines of one group too; other hosts are independent. Jobs of one Slurm entry may
/// wait in its queue together, as Slurm itself keeps them apart. Starting and ending a probe takes
/// logarithmic time in the number of machines, besides those that share hardware with it.
class Schedule {
 public:
  using Index = std::size_t;  // of a request, in the order given

  explicit Schedule(const std::vector<ProbeRequest>& requests);

  /// The first request in order that may start now; its hardware is taken until released. None when
  /// all that wait are blocked, or nothing waits.
  std::optional<Index> next();
  void release(Index index);
  std::size_t waiting() const { return waiting_; }

 private:
  struct Resource {
    int free = 1;
    std::vector<std::size_t> users;  // machines that need it
  };
  struct Machine {
    std::vector<std::size_t> resources;
    std::deque<Index> queue;
  };

  std::size_t machine_of(const ProbeRequest& request);
  std::size_t resource(const std::string& name, int capacity);
  void need(Machine& machine, std::size_t machine_index, std::size_t resource);
  bool is_free(const Machine& machine) const;

  std::vector<Machine> machines_;
  std::vector<Resource> resources_;
  std::map<std::string, std::size_t> machine_index_;
  std::map<std::string, std::size_t> resource_index_;
  std::vector<std::size_t> machine_of_request_;
  std::map<std::string, std::set<int>> cpus_of_host_;
  std::set<std::pair<Index, std::size_t>> ready_;  // first in a queue, its machine; may be blocked
  std::size_t waiting_ = 0;
};

}  // namespace lapcast
