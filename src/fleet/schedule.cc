#include "fleet/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace lapcast {
namespace {

/// Limits the runs of one entry that wait in a queue at once: each has a process on this machine
/// that looks after it.
constexpr int kQueuedAtOnce = 32;

/// Returns what tells hosts apart.
std::string host_key(const ProbeRequest& request) {
  return describe(request.site.place);
}

/// Returns what tells machines apart whose hardware may differ.
std::string machine_key(const ProbeRequest& request) {
  const MachineType& type = request.context.machine_type;
  const std::string hardware =
      is_queued(request.site.place) ? type.name : format_cpu_list(type.cpus);
  return fmt::format("{}\n{}\n{}", host_key(request), hardware, request.site.group);
}

}  // namespace

Schedule::Schedule(const std::vector<ProbeRequest>& requests) : waiting_(requests.size()) {
  for (const ProbeRequest& request : requests)
    for (const int cpu : request.context.machine_type.cpus)
      cpus_of_host_[host_key(request)].insert(cpu);
  machine_of_request_.reserve(requests.size());
  for (Index i = 0; i < requests.size(); ++i) {
    const std::size_t machine = machine_of(requests[i]);
    machine_of_request_.push_back(machine);
    machines_[machine].queue.push_back(i);
  }
  for (std::size_t i = 0; i < machines_.size(); ++i) ready_.emplace(machines_[i].queue.front(), i);
}

void Schedule::need(std::size_t machine, const std::string& resource, int capacity) {
  const auto [entry, is_new] = resource_index_.try_emplace(resource, resources_.size());
  if (is_new) resources_.push_back({capacity, capacity, {}});
  machines_[machine].resources.push_back(entry->second);
  resources_[entry->second].users.push_back(machine);
}

std::size_t Schedule::machine_of(const ProbeRequest& request) {
  const auto [entry, is_new] = machine_index_.try_emplace(machine_key(request), machines_.size());
  const std::size_t index = entry->second;
  if (!is_new) return index;
  machines_.emplace_back();
  const std::string host = host_key(request);
  const MachineType& type = request.context.machine_type;
  if (!request.site.group.empty()) need(index, "group\n" + request.site.group);
  if (is_queued(request.site.place)) {
    need(index, "queue\n" + type.name, kQueuedAtOnce);
    return index;
  }
  // A type without a CPU set takes all CPUs that others name, and the rest of the host.
  if (type.cpus.empty()) need(index, "rest\n" + host);
  const std::set<int> taken =
      type.cpus.empty() ? cpus_of_host_[host] : std::set(type.cpus.begin(), type.cpus.end());
  for (const int cpu : taken) need(index, fmt::format("cpu {}\n{}", cpu, host));
  return index;
}

bool Schedule::is_free(const Machine& machine) const {
  return std::all_of(machine.resources.begin(), machine.resources.end(),
                     [&](std::size_t i) { return resources_[i].free > 0; });
}

std::optional<Schedule::Index> Schedule::next() {
  while (!ready_.empty()) {
    const auto [index, machine_index] = *ready_.begin();
    ready_.erase(ready_.begin());
    Machine& machine = machines_[machine_index];
    if (!is_free(machine)) continue;  // release() brings it back
    machine.queue.pop_front();
    take(index);
    if (!machine.queue.empty()) ready_.emplace(machine.queue.front(), machine_index);
    --waiting_;
    return index;
  }
  return std::nullopt;
}

void Schedule::take(Index index) {
  for (const std::size_t i : machines_[machine_of_request_[index]].resources) --resources_[i].free;
}

void Schedule::release(Index index) {
  for (const std::size_t i : machines_[machine_of_request_[index]].resources) {
    ++resources_[i].free;
    for (const std::size_t user : resources_[i].users)
      if (!machines_[user].queue.empty()) ready_.emplace(machines_[user].queue.front(), user);
  }
}

bool Schedule::share_hardware(Index a, Index b) const {
  const std::vector<std::size_t>& own = machines_[machine_of_request_[a]].resources;
  const std::vector<std::size_t>& others = machines_[machine_of_request_[b]].resources;
  return std::any_of(own.begin(), own.end(), [&](std::size_t i) {
    return resources_[i].capacity == 1 &&
           std::find(others.begin(), others.end(), i) != others.end();
  });
}

}  // namespace lapcast
