#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "campaign/campaign.h"
#include "probe/orders.h"
#include "remote/agent_protocol.h"
#include "remote/patience.h"

namespace lapcast {
namespace {

constexpr std::chrono::milliseconds kWaitForEvents{200};
constexpr std::chrono::milliseconds kWaitForMachines{40};  // each is paid while it waits for us

}  // namespace

Campaign::RentedMachine* Campaign::rented(Index index) {
  const auto found = rented_.find(requests_[index].context.machine_type.name);
  return found == rented_.end() ? nullptr : &found->second;
}

void Campaign::follow_supply(const CampaignPolicy& policy) {
  if (rented_.empty()) return;
  tools_.supply->step(machines_left(policy));
  for (auto& [name, known] : rented_) look_at_machine(name, known);
}

void Campaign::look_at_machine(const std::string& name, RentedMachine& known) {
  const SuppliedMachine& now = *tools_.supply->find(name);
  if (known.why_none) return;
  if (now.life > known.life) {
    order_all_on(name, std::string(kGoneOrder) + now.why);
    if (known.is_open) schedule_.close(name);
    known = {.life = now.life};
  }
  if (now.state == SuppliedMachine::State::ended) {
    order_all_on(name, std::string(kGoneOrder) + now.why);
    if (!known.is_open) schedule_.open(name);  // each request then ends with the reason
    known.why_none = now.why;
  } else if (now.state == SuppliedMachine::State::ready && !known.is_open && !now.is_ending) {
    use_machine(name, now);
    known.boot = now.boot;
    known.is_open = true;
    schedule_.open(name);
  }
  if (!now.is_ending || !known.is_open) return;
  order_all_on(name, order_line(outcome::Enough{"its machine is taken back by the provider"}));
  schedule_.close(name);
  known.is_open = false;
}

void Campaign::use_machine(const std::string& name, const SuppliedMachine& machine) {
  for (ProbeRequest& request : requests_) {
    if (request.context.machine_type.name != name) continue;
    request.place_setup.place = machine.place;
    request.place_setup.ordered = machine.ordered;
    request.save_every = contact_patience();  // so much is lost when the machine vanishes
  }
}

void Campaign::order_all_on(const std::string& name, const std::string& line) {
  for (const auto& [ticket, index] : by_ticket_)
    if (requests_[index].context.machine_type.name == name) tools_.executor.order(ticket, line);
}

std::vector<std::string> Campaign::machines_left(const CampaignPolicy& policy) const {
  std::vector<std::string> names;
  for (Index i = 0; i < requests_.size(); ++i) {
    const std::string& name = requests_[i].context.machine_type.name;
    const bool has_work = interrupted_ ? tickets_.contains(i) : policy.wants(i);
    if (has_work && rented_.contains(name) && std::ranges::find(names, name) == names.end())
      names.push_back(name);
  }
  return names;
}

bool Campaign::awaits_machine(const CampaignPolicy& policy) const {
  using State = SuppliedMachine::State;
  if (interrupted_ || rented_.empty()) return false;
  return std::ranges::any_of(machines_left(policy), [&](const std::string& name) {
    const SuppliedMachine& machine = *tools_.supply->find(name);
    return machine.state == State::waiting || machine.state == State::coming || machine.is_ending;
  });
}

std::vector<Executor::Event> Campaign::take_events() {
  if (!own_events_.empty()) return std::exchange(own_events_, {});
  return tools_.executor.wait(rented_.empty() ? kWaitForEvents : kWaitForMachines);
}

}  // namespace lapcast
