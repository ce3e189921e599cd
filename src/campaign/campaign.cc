#include "campaign/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/error.h"
#include "core/units.h"
#include "fleet/candidates.h"
#include "machine/ordered_hardware.h"
#include "probe/cpu_quota.h"
#include "probe/ids_and_time.h"
#include "probe/run_folder.h"
#include "remote/agent_protocol.h"
#include "remote/remote_request.h"

namespace lapcast {
namespace {

using namespace std::chrono_literals;

constexpr auto kTellEvery = 100ms;
/// Begins the tickets of requests whose machine will never come, above all of an executor.
constexpr Executor::Ticket kFirstOwnTicket = Executor::Ticket{1} << 62;

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

  bool wants(Index index) const override { return !is_done_[index]; }

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

}  // namespace

Campaign::Campaign(std::vector<ProbeRequest> requests, CampaignTools tools)
    : requests_(std::move(requests)),
      schedule_(requests_),
      tools_(std::move(tools)),
      starts_(tools_.store),
      holds_(requests_.size()),
      progress_(requests_.size()) {
  for (const ProbeRequest& request : requests_)
    if (is_to_rent(request.place_setup.place)) rented_[request.context.machine_type.name];
  if (rented_.empty()) return;
  if (tools_.supply == nullptr)
    throw Error(ExitCode::usage, printable(rented_.begin()->first) + " has to be rented first");
  tools_.executor.spare_other_children();
}

void Campaign::run(CampaignPolicy& policy) {
  while (true) {
    if (tools_.interrupt.count() > interrupts_passed_on_) pass_on_interrupt(policy);
    follow_supply(policy);
    policy.start_what_can_run();
    if (by_ticket_.empty() && !awaits_machine(policy)) break;
    for (Executor::Event& event : take_events()) take(event, policy);
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
  progress_[index] = {};
  if (const RentedMachine* machine = rented(index); machine != nullptr && machine->why_none) {
    tickets_[index] = kFirstOwnTicket + index;
    by_ticket_[tickets_[index]] = index;
    own_events_.push_back({tickets_[index], run_not_started(request.context, *machine->why_none)});
    return;
  }
  request.context.start_id = start_id_of(request);
  request.store_file = tools_.store.file();
  ProbeRequest started = request;  // a later start may be of another kind
  if (started.context.start == StartKind::unknown) started.context.start = starts_.kind_of(started);
  if (!is_this_machine(started.place_setup.place))
    tools_.store.save_pending_run(pending_run_of(started));
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
    // What a machine sends because it may vanish is kept by the worker.
    const bool is_saved = requests_[index].save_every &&
                          std::holds_alternative<outcome::NotEnded>(so_far->run.outcome);
    if (!is_saved) policy.take_so_far(index, std::move(so_far->run));
  } else if (const auto* silence = std::get_if<message::OutOfReach>(&event.what)) {
    if (rented(index) != nullptr)
      tools_.supply->note_silence(requests_[index].context.machine_type.name, silence->time);
  } else if (const auto* fetched = std::get_if<message::Fetched>(&event.what)) {
    if (rented(index) != nullptr)
      tools_.supply->note_fetched(requests_[index].context.machine_type.name, fetched->bytes);
  } else {
    by_ticket_.erase(found);
    tickets_.erase(index);
    take_end(index, std::move(std::get<Run>(event.what)), policy);
    tools_.executor.stored(event.ticket);
  }
}

void Campaign::take_end(Index index, Run run, CampaignPolicy& policy) {
  if (has_laps(run.outcome)) starts_.note(requests_[index].context);
  leave_hardware(index);
  if (RentedMachine* machine = rented(index); machine != nullptr && machine->boot)
    run.preparation.insert(run.preparation.begin(),
                           {kBootStep, *std::exchange(machine->boot, std::nullopt)});
  tools_.store.add(run, saved_.contains(index));
  if (requests_[index].save_every) tools_.store.remove_pending_run(run.context.id);
  if (std::holds_alternative<outcome::Interrupted>(run.outcome)) interrupted_ = true;
  const auto* not_started = std::get_if<outcome::NotStarted>(&run.outcome);
  if (rented(index) != nullptr && not_started != nullptr &&
      not_started->why.find(kNotAsOrdered) != std::string::npos)
    tools_.supply->refuse(run.context.machine_type.name, not_started->why);
  policy.take_run(index, run);
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
  if (!tools_.listener.on_progress) return;
  CampaignProgress progress = policy.progress();
  for (const auto& [name, known] : rented_) {
    const SuppliedMachine& machine = *tools_.supply->find(name);
    if (machine.state == SuppliedMachine::State::coming)
      progress.running.push_back({name, machine.doing});
  }
  if (!rented_.empty()) progress.rent = tools_.supply->cost_text();
  tools_.listener.on_progress(progress);
}

CampaignResult run_campaign(std::vector<ProbeRequest> requests, CampaignTools tools) {
  Campaign campaign(std::move(requests), std::move(tools));
  PlainPolicy policy(campaign);
  campaign.run(policy);
  return policy.result();
}

void remove_leftovers(Store& store, Executor& executor) {
  for (const PendingRun& pending_run : store.pending_runs()) {
    if (pending_run.purpose != kRemoval) continue;
    const auto request = remote_request_from_json(pending_run.request);
    if (!request) continue;
    if (request->probe.save_every)
      store.remove_pending_run(pending_run.id);  // it vanishes with its machine
    else
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

}  // namespace lapcast
