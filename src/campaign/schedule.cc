#include "campaign/schedule.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/units.h"
#include "machine/place.h"

namespace lapcast {
namespace {

/// Limits how many runs of one entry wait in a queue at once, because each has a worker process on
/// this machine.
constexpr int kQueuedAtOnce = 32;

std::string host_key(const ProbeRequest& request, const Place& place) {
  // Each machine to rent is one of its own, even if two are ordered alike.
  return is_to_rent(place) ? describe(place) + "\n" + request.context.machine_type.name
                           : describe(place);
}

/// Returns a key that differs between machines whose hardware may differ.
std::string machine_key(const ProbeRequest& request) {
  const MachineType& type = request.context.machine_type;
  const std::string hardware =
      is_queued(request.place_setup.place) ? type.name : format_cpu_list(type.cpus);
  return fmt::format("{}\n{}\n{}", host_key(request, request.place_setup.place), hardware,
                     request.place_setup.group);
}

/// Returns the key of the resource that stands for a rented machine being there.
std::string key_of_rented(const std::string& machine_type) {
  return "rented\n" + machine_type;
}

}  // namespace

Schedule::Schedule(const std::vector<ProbeRequest>& requests) : waiting_(requests.size()) {
  for (const ProbeRequest& request : requests)
    for (const Place& node : nodes_in(request.place_setup.place))
      for (const int cpu : request.context.machine_type.cpus)
        cpus_of_host_[host_key(request, node)].insert(cpu);
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
  if (is_to_rent(request.place_setup.place)) {
    const std::string rented = key_of_rented(request.context.machine_type.name);
    need(index, rented);
    resources_[resource_index_.at(rented)].free = 0;
  }
  const MachineType& type = request.context.machine_type;
  if (!request.place_setup.group.empty()) need(index, "group\n" + request.place_setup.group);
  if (is_queued(request.place_setup.place)) {
    need(index, "queue\n" + type.name, kQueuedAtOnce);
    return index;
  }
  for (const Place& node : nodes_in(request.place_setup.place)) {
    const std::string host = host_key(request, node);
    // A type without a CPU set takes all CPUs that others name, and the rest of the host.
    if (type.cpus.empty()) need(index, "rest\n" + host);
    const std::set<int> taken =
        type.cpus.empty() ? cpus_of_host_[host] : std::set(type.cpus.begin(), type.cpus.end());
    for (const int cpu : taken) need(index, fmt::format("cpu {}\n{}", cpu, host));
  }
  return index;
}

bool Schedule::is_free(const Machine& machine) const {
  return std::all_of(machine.resources.begin(), machine.resources.end(),
                     [&](std::size_t i) { return resources_[i].free > 0; });
}

void Schedule::open(const std::string& rented) {
  release_resource(resource_index_.at(key_of_rented(rented)));
}

void Schedule::close(const std::string& rented) {
  --resources_[resource_index_.at(key_of_rented(rented))].free;
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
  for (const std::size_t i : machines_[machine_of_request_[index]].resources) release_resource(i);
}

void Schedule::release_resource(std::size_t resource) {
  ++resources_[resource].free;
  for (const std::size_t user : resources_[resource].users)
    if (!machines_[user].queue.empty()) ready_.emplace(machines_[user].queue.front(), user);
}

Seconds Schedule::wall_time(const std::vector<Seconds>& left) const {
  std::vector<Seconds> work(resources_.size());
  Seconds most{0};
  for (Index i = 0; i < left.size(); ++i) {
    most = std::max(most, left[i]);
    for (const std::size_t each : machines_[machine_of_request_[i]].resources)
      work[each] += left[i];
  }
  for (std::size_t i = 0; i < work.size(); ++i)
    most = std::max(most, work[i] / static_cast<double>(resources_[i].capacity));
  return most;
}

}  // namespace lapcast
