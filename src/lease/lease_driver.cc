#include "lease/lease_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>
#include <variant>

#include "core/units.h"
#include "lease/lease_clock.h"
#include "lease/lease_files.h"
#include "lease/machine_deadline.h"
#include "run/text_bytes.h"

namespace lapcast {

using DriverClock = std::chrono::steady_clock;

namespace {

constexpr std::chrono::milliseconds kTick{20};
constexpr std::chrono::milliseconds kLookAtLedger{1000};  // another lapcast may have ended a lease
constexpr std::chrono::seconds kLoginLimit{15};

DriverClock::time_point in_future(Seconds time) {
  return DriverClock::now() + std::chrono::duration_cast<DriverClock::duration>(time);
}

/// Returns what a list says of a lease, for its history.
std::string words_of(const ListedFact& list) {
  std::string words = list.complete ? "" : "not all regions answered; ";
  for (const ProviderEntry& entry : list.machines) {
    words += fmt::format("{} {}{}, ", printable(entry.machine), name_of(entry.state),
                         entry.costs ? "" : " at no cost");
  }
  return words +
         (list.machines.empty() ? "nothing" : fmt::format("{} in all", list.machines.size()));
}

}  // namespace

struct LeaseDriver::Driven {
  Lease lease;
  std::optional<FileLock> lock;
  LeaseStep step = {};
  DriverClock::time_point due = DriverClock::now();     // of step.act
  bool is_done = false;                                 // step.act was performed
  DriverClock::time_point looked = DriverClock::now();  // into the ledger
  std::optional<AdapterCall> call = {};                 // create or delete
  std::vector<MachineName> to_delete = {};
  std::optional<RunningCommand> login = {};
  bool takes_key = false;  // the login accepts the host key that it sees first
  DriverClock::time_point login_until = {};
  std::string login_trouble = {};
  std::string listed_as = {};  // what the newest list said, in words
  bool is_driven = true;
};

struct LeaseDriver::Provider {
  std::optional<std::filesystem::path> file;
  std::optional<AdapterDescription> description = {};
  bool list_wanted = false;
  UtcNs list_asked = 0;
  DriverClock::time_point list_begun = {};
  DriverClock::time_point next_list = {};  // after a rest of twice the time that a list took
  std::optional<AdapterCall> list = {};
  std::optional<UtcNs> answered = {};  // when the newest answered list was asked for
};

LeaseDriver::LeaseDriver(Ledger& ledger, LeaseListener changed)
    : ledger_(ledger), changed_(std::move(changed)) {}
LeaseDriver::~LeaseDriver() = default;

void LeaseDriver::drive(FileLock lock, const Lease& lease,
                        std::optional<AdapterDescription> description) {
  auto& provider = providers_[lease.order.adapter];
  if (!provider) provider = std::make_unique<Provider>();
  if (!provider->file)
    if (const auto file = find_adapter(lease.order.adapter)) provider->file = *file;
  if (description) provider->description = std::move(description);
  auto driven = std::make_unique<Driven>(Driven{.lease = lease, .lock = std::move(lock)});
  Driven& added = *(driven_[lease.id] = std::move(driven));
  advance(added, NoNews{});
}

void LeaseDriver::take(const std::string& id, const LeaseFact& fact) {
  const auto found = driven_.find(id);
  if (found != driven_.end() && found->second->is_driven) advance(*found->second, fact);
}

void LeaseDriver::list_now(const std::string& id) {
  if (const auto found = driven_.find(id); found != driven_.end())
    providers_.at(found->second->lease.order.adapter)->list_wanted = true;
}

void LeaseDriver::let_go(const std::string& id) {
  const auto found = driven_.find(id);
  if (found == driven_.end()) return;
  found->second->is_driven = false;
  found->second->lock.reset();
  found->second->login.reset();
  found->second->call.reset();
}

const Lease* LeaseDriver::find(const std::string& id) const {
  const auto found = driven_.find(id);
  return found == driven_.end() ? nullptr : &found->second->lease;
}

std::string LeaseDriver::login_trouble(const std::string& id) const {
  const auto found = driven_.find(id);
  return found == driven_.end() ? "" : found->second->login_trouble;
}

std::optional<UtcNs> LeaseDriver::listed(const std::string& id) const {
  const auto found = driven_.find(id);
  if (found == driven_.end()) return std::nullopt;
  return providers_.at(found->second->lease.order.adapter)->answered;
}

bool LeaseDriver::any_open() const {
  return std::ranges::any_of(driven_, [](const auto& each) {
    return each.second->is_driven && is_open(each.second->lease);
  });
}

void LeaseDriver::step(std::chrono::milliseconds at_most) {
  const auto until = DriverClock::now() + at_most;
  has_changed_ = false;
  while (true) {
    step_once();
    const auto rest =
        std::chrono::duration_cast<std::chrono::milliseconds>(until - DriverClock::now());
    if (has_changed_ || rest <= std::chrono::milliseconds{0}) return;
    std::this_thread::sleep_for(std::min(kTick, rest));
  }
}

void LeaseDriver::step_once() {
  for (const auto& [id, driven] : driven_) {
    if (!driven->is_driven || !is_open(driven->lease)) continue;
    take_call(*driven);
    take_login(*driven);
    if (driven->is_driven && is_open(driven->lease) && DriverClock::now() >= driven->looked)
      advance(*driven, NoNews{});
    if (driven->is_driven && !driven->is_done && !driven->call && DriverClock::now() >= driven->due)
      perform(*driven);
  }
  for (const auto& [adapter, provider] : providers_) step_list(adapter, *provider);
}

// One lease

void LeaseDriver::advance(Driven& driven, const LeaseFact& fact) {
  const Lease before = driven.lease;
  LeaseStep step;
  driven.looked = DriverClock::now() + kLookAtLedger;
  const auto stored = ledger_.update(before.id, [&](Lease& lease) {
    step = next_step(std::move(lease), fact, lease_now_ns());
    lease = step.lease;
  });
  if (!stored) {  // forgotten by the user
    driven.lease.state = LeaseState::gone;
    return close(driven);
  }
  driven.lease = *stored;
  if (driven.lease.state != before.state) has_changed_ = true;
  const bool is_same = std::holds_alternative<NoNews>(fact) && *stored == before &&
                       step.act != LeaseAct::close && !driven.step.lease.id.empty();
  if (!is_same) {
    driven.due = in_future(step.after);
    driven.step = std::move(step);
    driven.is_done = driven.step.act == LeaseAct::wait;
  }
  if (changed_) changed_(before, driven.lease);
  if (driven.step.act == LeaseAct::close) close(driven);
}

void LeaseDriver::perform(Driven& driven) {
  driven.is_done = true;
  Provider& provider = *providers_.at(driven.lease.order.adapter);
  switch (driven.step.act) {
    case LeaseAct::create:
      return start_create(driven);
    case LeaseAct::remove:
      driven.to_delete = driven.step.machines;
      return start_delete(driven);
    case LeaseAct::login:
      start_login(driven);
      provider.list_wanted = true;
      return;
    case LeaseAct::list:
      provider.list_wanted = true;
      return;
    case LeaseAct::wait:
    case LeaseAct::close:
      return;
  }
}

void LeaseDriver::start_create(Driven& driven) {
  const Provider& provider = *providers_.at(driven.lease.order.adapter);
  const auto folder = ledger_.folder_of(driven.lease.id);
  const bool has_script = provider.description && provider.description->user_data;
  const Seconds rest = from_ns(driven.lease.deadline - lease_now_ns());
  driven.call.emplace(
      provider.file.value_or(""), "create",
      create_request(driven.lease, login_key(folder),
                     has_script ? user_data_script(driven.lease, folder) : "", rest));
}

void LeaseDriver::start_delete(Driven& driven) {
  if (driven.to_delete.empty()) return advance(driven, DeleteFact{});
  const Provider& provider = *providers_.at(driven.lease.order.adapter);
  driven.call.emplace(provider.file.value_or(""), "delete",
                      delete_request(driven.lease, driven.to_delete.back()));
  driven.to_delete.pop_back();
}

void LeaseDriver::take_call(Driven& driven) {
  if (!driven.call || !driven.call->wait(std::chrono::milliseconds{0})) return;
  const std::string verb = driven.call->verb();
  const AdapterResult<std::string> answer = driven.call->answer();
  driven.call.reset();
  ledger_.add_event(driven.lease.id, verb + " answered: " +
                                         (answer ? printable(*answer, 4000) : answer.error().text));
  if (verb == "delete") return start_delete(driven);
  AdapterResult<ProviderEntry> machine = answer.and_then(parse_machine);
  if (machine && machine->lease != driven.lease.id)
    machine = tl::unexpected(AdapterError{RentRefusal::unclear, "it names another lease"});
  machine ? advance(driven, MadeFact{*machine})
          : advance(driven, RefusedFact{machine.error().refusal, machine.error().text});
}

void LeaseDriver::start_login(Driven& driven) {
  if (driven.login || driven.lease.address.empty()) return;
  const auto folder = ledger_.folder_of(driven.lease.id);
  if (const auto written = write_connection(folder, driven.lease); !written) {
    driven.login_trouble = written.error().text;
    return;
  }
  const LeaseConnection connection = connection_of(folder, driven.lease);
  std::error_code absent;
  driven.takes_key = !std::filesystem::exists(connection.known_hosts, absent);
  const auto& adapter = providers_.at(driven.lease.order.adapter)->description;
  const bool is_guarded = adapter && adapter->power_off_ends_bill;
  std::vector<std::string> arguments = lease_ssh(connection, is_guarded ? "sh -s" : "true");
  // Of an option that is given twice ssh takes the first value.
  if (driven.takes_key)
    arguments.insert(arguments.begin() + 1, {"-o", "StrictHostKeyChecking=accept-new"});
  auto started = RunningCommand::start(arguments);
  if (!started) {
    driven.login_trouble = started.error().text;
    return;
  }
  driven.login = std::move(*started);
  if (is_guarded)
    driven.login->write(guard_script(from_ns(driven.lease.deadline - lease_now_ns())));
  driven.login->close_input();
  driven.login_until = DriverClock::now() + kLoginLimit;
}

void LeaseDriver::take_login(Driven& driven) {
  if (!driven.login) return;
  driven.login->wait(std::chrono::milliseconds{0});
  driven.login->take_output();
  if (!driven.login->ended() && DriverClock::now() < driven.login_until) return;
  const bool works = driven.login->ended() && driven.login->status() == 0;
  driven.login_trouble = works ? "" : printable(last_lines(driven.login->error(), 1), 300);
  driven.login.reset();
  if (works) {
    advance(driven, LoginFact{driven.takes_key});
  } else if (driven.step.act == LeaseAct::login) {
    // A list may come later; the next try comes soon.
    driven.due = std::min(driven.due, in_future(Seconds{1}));
    driven.is_done = false;
  }
}

void LeaseDriver::close(Driven& driven) {
  if (!driven.is_driven) return;
  driven.is_driven = false;
  driven.login.reset();
  driven.call.reset();
  const auto folder = ledger_.folder_of(driven.lease.id);
  remove_lease_files(folder);
  std::error_code ignored;
  std::filesystem::remove(folder.native() + ".lock", ignored);
  driven.lock.reset();
}

// Lists

void LeaseDriver::step_list(const std::string& adapter, Provider& provider) {
  if (provider.list && provider.list->wait(std::chrono::milliseconds{0}))
    take_list(adapter, provider);
  if (!provider.list_wanted || provider.list || DriverClock::now() < provider.next_list) return;
  provider.list_wanted = false;
  provider.list_asked = lease_now_ns();
  provider.list_begun = DriverClock::now();
  provider.list.emplace(provider.file.value_or(""), "list", "{}");
}

void LeaseDriver::take_list(const std::string& adapter, Provider& provider) {
  const AdapterResult<std::string> answer = provider.list->answer();
  provider.list.reset();
  const auto now = DriverClock::now();
  provider.next_list = now + 2 * (now - provider.list_begun);
  AdapterResult<MachineList> list = answer.and_then(parse_machine_list);
  if (list) provider.answered = provider.list_asked;
  for (const auto& [id, driven] : driven_) {
    if (driven->lease.order.adapter != adapter || !driven->is_driven) continue;
    if (!list) {
      ledger_.add_event(id, "list failed: " + list.error().text);
      advance(*driven, ListFailedFact{});
      continue;
    }
    ListedFact fact{.asked = provider.list_asked, .complete = list->complete, .machines = {}};
    for (const ProviderEntry& entry : list->machines)
      if (entry.lease == id) fact.machines.push_back(entry);
    const std::string words = words_of(fact);
    if (words != driven->listed_as) ledger_.add_event(id, "list answered: " + words);
    driven->listed_as = words;
    advance(*driven, fact);
  }
  if (list) find_wrongly_gone({provider.list_asked, list->complete, std::move(list->machines)});
}

void LeaseDriver::find_wrongly_gone(const ListedFact& whole) {
  for (const ProviderEntry& entry : whole.machines) {
    if (driven_.contains(entry.lease)) continue;
    const auto lease = ledger_.find(entry.lease);
    if (!lease || is_open(*lease)) continue;
    ledger_.update(entry.lease, [&](Lease& changed) {
      changed =
          next_step(std::move(changed), ListedFact{whole.asked, false, {entry}}, lease_now_ns())
              .lease;
    });
  }
}

}  // namespace lapcast
