#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "probe/probe_request.h"

namespace lapcast {

/// Decides which of many probes may run beside each other. Machine types that share CPUs of one
/// host run one at a time, and so do machines of one group; hosts are independent of each other.
/// Runs of one entry whose place has a queue wait in it together, up to a limit, as the queue keeps
/// them apart. Starting and ending a probe takes logarithmic time in the number of machines,
/// besides those that share hardware with it.
class Schedule {
 public:
  using Index = std::size_t;  // of a request, in the order given

  explicit Schedule(const std::vector<ProbeRequest>& requests);

  /// Takes the hardware of the first request in order that was not returned before and may start
  /// now. Returns nothing when all that wait are blocked, or nothing waits.
  std::optional<Index> next();
  std::size_t waiting() const { return waiting_; }

  /// Returns whether a request may run now, for callers with an order of their own.
  bool is_free(Index index) const { return is_free(machines_[machine_of_request_[index]]); }
  /// Takes the hardware of a request, even where it is not free.
  void take(Index index);
  void release(Index index);
  /// Returns whether two requests can never run at the same time.
  bool share_hardware(Index a, Index b) const;

 private:
  struct Resource {
    int capacity = 1;
    int free = 1;                    // below 0 where it was taken although it was not free
    std::vector<std::size_t> users;  // machines that need it
  };
  struct Machine {
    std::vector<std::size_t> resources;
    std::deque<Index> queue;
  };

  std::size_t machine_of(const ProbeRequest& request);
  void need(std::size_t machine, const std::string& resource, int capacity = 1);
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
