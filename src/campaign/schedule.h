#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/seconds.h"
#include "probe/request.h"

namespace lapcast {

/// Decides which probes may run at the same time. Machine types that share CPUs of one host run one
/// at a time, and so do machines of one group; hosts are independent of each other. Where a place
/// has a queue, runs of one entry wait in it together, up to a limit, because the queue keeps them
/// apart. Starting or ending a probe takes time logarithmic in the number of machines, plus the
/// time for those that share its hardware.
class Schedule {
 public:
  using Index = std::size_t;  // of a request, in the order given

  explicit Schedule(const std::vector<ProbeRequest>& requests);

  /// Returns the first request in order that was not returned before and may start now, and takes
  /// its hardware. Returns nothing when every waiting request is blocked or none waits.
  std::optional<Index> next();
  std::size_t waiting() const { return waiting_; }

  /// Returns whether a request may run now, for callers with an order of their own.
  bool is_free(Index index) const { return is_free(machines_[machine_of_request_[index]]); }
  /// Takes the hardware of a request, even if it is not free.
  void take(Index index);
  /// Gives back the hardware of a request.
  void release(Index index);
  /// Says that the rented machine of a machine type is there, or is no longer there. Before the
  /// first call of open() its requests may not start.
  void open(const std::string& rented);
  void close(const std::string& rented);
  /// Returns the remaining wall time when request i has left[i] to run: the longest time that any
  /// piece of hardware is busy, because hardware that is not shared works in parallel.
  Seconds wall_time(const std::vector<Seconds>& left) const;

 private:
  struct Resource {
    int capacity = 1;
    int free = 1;                    // below 0 if it was taken while not free
    std::vector<std::size_t> users;  // machines that need it
  };
  struct Machine {
    std::vector<std::size_t> resources;
    std::deque<Index> queue;
  };

  std::size_t machine_of(const ProbeRequest& request);
  void need(std::size_t machine, const std::string& resource, int capacity = 1);
  bool is_free(const Machine& machine) const;
  void release_resource(std::size_t resource);

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
