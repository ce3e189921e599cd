#include "campaign/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/error.h"
#include "fleet/candidates.h"
#include "probe/cpu_quota.h"
#include "probe/ids_and_time.h"
#include "probe/run_folder.h"
#include "remote/remote_request.h"

namespace lapcast {
namespace {

using namespace std::chrono_literals;

constexpr auto kTellEvery = 100ms;
constexpr auto kLookEvery = 200ms;

/// Runs each request once.
class PlainPolicy : public CampaignPolicy {
 public:
  explicit PlainPolicy(Campaign& campaign)
      : campaign_(campaign), is_done_(campaign.requests().size()) {}

  void start_what_can_run() override {
    while (!campaign_.was_interrupted() && campaign_.start_next()) {
    }
  }

  void take_run(Index index, const Run& run) override {
    if (!std::holds_alternative<outcome::Interrupted>(run.outcome)) {
      ++result_.finished;
      if (!has_laps(run.outcome)) ++result_.failed;
      times_.add(run.wall());
    }
    is_done_[index] = true;
    campaign_.show(run);
  }

  void take_so_far(Index index, Run run) override { campaign_.save(index, run); }

  CampaignProgress progress() const override {
    const std::size_t total = campaign_.requests().size();
    CampaignProgress progress{result_.finished, total, result_.failed, std::nullopt, {}};
    std::vector<Seconds> left;
    for (const bool is_done : is_done_)
      left.push_back(is_done ? Seconds{0} : times_.or_else(Seconds{0}));
    if (result_.finished > 0) progress.eta = campaign_.time_left(std::move(left));
    for (const auto& [ticket, index] : campaign_.running())
      progress.running.push_back(campaign_.under_way(index));
    return progress;
  }

  CampaignResult result() const {
    CampaignResult result = result_;
    result.interrupted = campaign_.was_interrupted();
    return result;
  }

 private:
  Campaign& campaign_;
  CampaignResult result_;
  MeanTime times_;
  std::vector<bool> is_done_;
};

PendingRun pending_run_of(const ProbeRequest& request) {
  const RunContext& context = request.context;
  return {context.id,    context.sweep,      "probe",
          context.place, context.started_at, to_json_line(RemoteRequest{request})};
}

/// Limits how many runs of one entry wait in a queue at once, because each has a worker process on
/// this machine.
constexpr int kQueuedAtOnce = 32;

std::string host_key(const ProbeRequest& request) {
  return describe(request.place_setup.place);
}

/// Returns a key that differs between machines whose hardware may differ.
std::string machine_key(const ProbeRequest& request) {
  const MachineType& type = request.context.machine_type;
  const std::string hardware =
      is_queued(request.place_setup.place) ? type.name : format_cpu_list(type.cpus);
  return fmt::format("{}\n{}\n{}", host_key(request), hardware, request.place_setup.group);
}

}  // namespace

Campaign::Campaign(std::vector<ProbeRequest> requests, CampaignTools tools)
    : requests_(std::move(requests)),
      schedule_(requests_),
      tools_(std::move(tools)),
      starts_(tools_.store),
      holds_(requests_.size()),
      progress_(requests_.size()) {}

void Campaign::run(CampaignPolicy& policy) {
  while (true) {
    if (tools_.interrupt.count() > interrupts_passed_on_) pass_on_interrupt(policy);
    policy.start_what_can_run();
    if (by_ticket_.empty()) break;
    for (Executor::Event& event : tools_.executor.wait(kLookEvery)) take(event, policy);
    note_removed(tools_.store, tools_.executor, false);
    if (Clock::now() >= tell_at_) tell(policy);
  }
  tell(policy);
  note_removed(tools_.store, tools_.executor, true);
}

void Campaign::pass_on_interrupt(CampaignPolicy& policy) {
  const bool first = interrupts_passed_on_ == 0;
  interrupts_passed_on_ = tools_.interrupt.count();
  interrupted_ = true;
  if (policy.end_at_interrupt(first)) tools_.executor.stop_all();
}

bool Campaign::start_next() {
  const auto index = schedule_.next();
  if (!index) return false;
  holds_[*index] = true;
  begin(*index);
  return true;
}

void Campaign::start(Index index) {
  take_hardware(index);
  begin(index);
}

void Campaign::begin(Index index) {
  ProbeRequest& request = requests_[index];
  request.context.started_at = tools_.now();
  request.context.start_id = start_id_of(request);
  request.store_file = tools_.store.file();
  ProbeRequest started = request;  // a later start may be of another kind
  if (started.context.start == StartKind::unknown) started.context.start = starts_.kind_of(started);
  if (!is_this_machine(started.place_setup.place))
    tools_.store.save_pending_run(pending_run_of(started));
  progress_[index] = {};
  tickets_[index] = tools_.executor.start(started);
  by_ticket_[tickets_[index]] = index;
}

void Campaign::order(Index index, const std::string& line) {
  tools_.executor.order(tickets_.at(index), line);
}

void Campaign::leave_hardware(Index index) {
  if (!holds_[index]) return;
  holds_[index] = false;
  schedule_.release(index);
}

void Campaign::take_hardware(Index index) {
  if (holds_[index]) return;
  holds_[index] = true;
  schedule_.take(index);
}

std::vector<const HeldMemory*> Campaign::held_at_place_of(Index index,
                                                          const HeldBy& held_by) const {
  std::vector<const HeldMemory*> held;
  for (Index other = 0; other < requests_.size(); ++other)
    if (const HeldMemory* one = held_by(other);
        one != nullptr && place_of(other) == place_of(index))
      held.push_back(one);
  return held;
}

Seconds Campaign::time_left(std::vector<Seconds> left) const {
  for (const auto& [ticket, index] : by_ticket_)
    left[index] = std::max(Seconds{0}, left[index] - progress_[index].elapsed);
  return schedule_.wall_time(left);
}

void Campaign::take(Executor::Event& event, CampaignPolicy& policy) {
  const auto found = by_ticket_.find(event.ticket);
  if (found == by_ticket_.end()) return;
  const Index index = found->second;
  if (auto* progress = std::get_if<ProbeProgress>(&event.what)) {
    if (progress->laps > 0) starts_.note(requests_[index].context);
    progress_[index] = std::move(*progress);
  } else if (auto* so_far = std::get_if<RunSoFar>(&event.what)) {
    policy.take_so_far(index, std::move(so_far->run));
  } else {
    const Run& run = std::get<Run>(event.what);
    if (has_laps(run.outcome)) starts_.note(requests_[index].context);
    by_ticket_.erase(found);
    tickets_.erase(index);
    leave_hardware(index);
    tools_.store.add(run, saved_.contains(index));
    tools_.executor.stored(event.ticket);
    if (std::holds_alternative<outcome::Interrupted>(run.outcome)) interrupted_ = true;
    policy.take_run(index, run);
  }
}

void Campaign::save(Index index, const Run& so_far) try {
  tools_.store.add(so_far, true);
  saved_.insert(index);
} catch (const Error&) {
  return;  // the program goes on; an error that lasts is reported at its end
}

RunUnderWay Campaign::under_way(Index index, const std::string& stage) const {
  const ProbeProgress& progress = progress_[index];
  return {candidate_name(requests_[index].context) + stage, progress.state, progress.waits};
}

void Campaign::show(const Run& run) const {
  if (tools_.listener.on_run) tools_.listener.on_run(run);
}

void Campaign::tell(const CampaignPolicy& policy) {
  tell_at_ = Clock::now() + kTellEvery;
  if (tools_.listener.on_progress) tools_.listener.on_progress(policy.progress());
}

CampaignResult run_campaign(std::vector<ProbeRequest> requests, CampaignTools tools) {
  Campaign campaign(std::move(requests), std::move(tools));
  PlainPolicy policy(campaign);
  campaign.run(policy);
  return policy.result();
}

void remove_leftovers(const Store& store, Executor& executor) {
  for (const PendingRun& pending_run : store.pending_runs()) {
    if (pending_run.purpose != kRemoval) continue;
    if (const auto request = remote_request_from_json(pending_run.request))
      executor.remove(request->probe);
  }
}

void note_removed(Store& store, Executor& executor, bool all) {
  for (const std::string& id : executor.take_removed(all)) store.remove_pending_run(id);
}

void remove_stale_run_folders_and_cgroups(const std::filesystem::path& run_parent) {
  remove_stale_run_folders(run_parent);
  CpuQuota::remove_stale();
}

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
  if (!request.place_setup.group.empty()) need(index, "group\n" + request.place_setup.group);
  if (is_queued(request.place_setup.place)) {
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
