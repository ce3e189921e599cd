#include "fleet/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace lapcast {
namespace {

/// Jobs of one Slurm entry that wait in the queue at once: each has a process here that looks after
/// it.
constexpr int kSlurmJobsAtOnce = 32;

bool is_slurm(const ProbeRequest& request) {
  return std::holds_alternative<SlurmPlace>(request.site.place);
}

/// What tells hosts apart.
std::string host_of(const ProbeRequest& request) { return describe(request.site.place); }

/// What tells machines apart whose hardware may differ.
std::string machine_key(const ProbeRequest& request) {
  const MachineType& type = request.context.machine_type;
  const std::string hardware = is_slurm(request) ? type.name : format_cpu_list(type.cpus);
  return fmt::format("{}\n{}\n{}", host_of(request), hardware, request.site.group);
}

}  // namespace

Schedule::Schedule(const std::vector<ProbeRequest>& requests) : waiting_(requests.size()) {
  for (const ProbeRequest& request : requests)
    for (const int cpu : request.context.machine_type.cpus)
      cpus_of_host_[host_of(request)].insert(cpu);
  machine_of_request_.reserve(requests.size());
  for (Index i = 0; i < requests.size(); ++i) {
    const std::size_t machine = machine_of(requests[i]);
    machine_of_request_.push_back(machine);
    machines_[machine].queue.push_back(i);
  }
  for (std::size_t i = 0; i < machines_.size(); ++i)
    ready_.emplace(machines_[i].queue.front(), i);
}

std::size_t Schedule::resource(const std::string& name, int capacity) {
  const auto [entry, is_new] = resource_index_.try_emplace(name, resources_.size());
  if (is_new) resources_.push_back({capacity, {}});
  return entry->second;
}

void Schedule::need(Machine& machine, std::size_t machine_index, std::size_t resource) {
  machine.resources.push_back(resource);
  resources_[resource].users.push_back(machine_index);
}

std::size_t Schedule::machine_of(const ProbeRequest& request) {
  const auto [entry, is_new] = machine_index_.try_emplace(machine_key(request), machines_.size());
  const std::size_t index = entry->second;
  if (!is_new) return index;
  Machine& machine = machines_.emplace_back();
  const std::string host = host_of(request);
  const std::vector<int>& cpus = request.context.machine_type.cpus;
  if (!request.site.group.empty())
    need(machine, index, resource("group\n" + request.site.group, 1));
  if (is_slurm(request)) {
    const std::string name = request.context.machine_type.name;
    need(machine, index, resource("slurm\n" + name, kSlurmJobsAtOnce));
    return index;
  }
  // One without a CPU set takes all those that others name, and what is left.
  if (cpus.empty()) need(machine, index, resource("rest\n" + host, 1));
  const std::set<int> taken = cpus.empty() ? cpus_of_host_[host] : std::set(cpus.begin(), cpus.end());
  for (const int cpu : taken) need(machine, index, resource(fmt::format("cpu {}\n{}", cpu, host), 1));
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
    if (!is_free(machine)) continue;  // comes back when what it lacks is released
    machine.queue.pop_front();
    for (const std::size_t i : machine.resources) --resources_[i].free;
    if (!machine.queue.empty()) ready_.emplace(machine.queue.front(), machine_index);
    --waiting_;
    return index;
  }
  return std::nullopt;
}

void Schedule::release(Index index) {
  for (const std::size_t i : machines_[machine_of_request_[index]].resources) {
    ++resources_[i].free;
    for (const std::size_t user : resources_[i].users)
      if (!machines_[user].queue.empty()) ready_.emplace(machines_[user].queue.front(), user);
  }
}

}  // namespace lapcast
