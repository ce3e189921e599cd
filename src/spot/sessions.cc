#include "spot/sessions.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <variant>

namespace lapcast {
namespace {

constexpr std::int64_t kMostIntervals = 3;  // without a heartbeat: then the session was cut

/// Collects the heartbeats of a session, or of a part of it between gaps.
struct Chain {
  SessionBegin begin;  // of this part; a new one begins after a gap
  Instant last;
  std::int64_t work_before = 0;
  std::int64_t work = 0;
  SessionFate fate = SessionFate::open;
};

/// Returns the time from one heartbeat to a later one of the same writer; none when a clock was set
/// back.
std::optional<Seconds> time_between(const Instant& from, const std::string& from_boot,
                                    const Instant& to, const std::string& to_boot) {
  const std::int64_t ns =
      from_boot == to_boot ? to.boot_ns - from.boot_ns : to.utc_ns - from.utc_ns;
  if (ns < 0) return std::nullopt;
  return from_ns(ns);
}

/// Holds all heartbeats of one machine and device.
class Machine {
 public:
  void take(const SessionBegin& begin) {
    open_[begin.id] = chains_.size();
    chains_.push_back({begin, begin.at});
  }

  void take(const SessionBeat& beat) {
    Chain* chain = continued(beat.id, beat.at);
    if (chain == nullptr) return;
    chain->last = beat.at;
    chain->work = std::max(chain->work, beat.work);
  }

  void take(const std::string& id, const Instant& at, SessionFate fate) {
    Chain* chain = fate == SessionFate::stopped ? continued(id, at) : &chains_[open_.at(id)];
    if (chain == nullptr) return;
    if (fate == SessionFate::stopped) chain->last = at;
    chain->fate = fate;
  }

  void take(const SessionRefused& refusal) {
    ++refusals_;
    if (chains_.empty() && !first_refusal_) first_refusal_ = refusal.at;
    last_refusal_ = refusal.at;
    chains_before_refusal_ = chains_.size();
  }

  SoakedMachine told(const std::string& machine, const std::string& device) {
    SoakedMachine result{machine, device, {}, {}, refusals_};
    add_first_wait(result);
    for (std::size_t i = 0; i < chains_.size(); ++i) add_session(result, i);
    return result;
  }

 private:
  /// Returns the part of the session that a heartbeat at that time belongs to: a new one after a
  /// gap.
  Chain* continued(const std::string& id, const Instant& at) {
    Chain& chain = chains_[open_.at(id)];
    const std::int64_t ns = at.boot_ns - chain.last.boot_ns;
    if (ns < 0) return nullptr;
    if (ns / kMostIntervals <= chain.begin.every_ns) return &chain;
    chain.fate = SessionFate::cut;
    SessionBegin begin = chain.begin;
    begin.at = at;
    const std::int64_t work = chain.work;
    take(begin);
    chains_.back().work_before = chains_.back().work = work;
    return &chains_.back();
  }

  void add_first_wait(SoakedMachine& result) const {
    if (!first_refusal_) return;
    const std::int64_t from = first_refusal_->utc_ns;
    const std::int64_t to = chains_.empty() ? last_refusal_.utc_ns : chains_[0].begin.at.utc_ns;
    if (to >= from) result.waits.push_back({from, from_ns(to - from), !chains_.empty()});
  }

  void add_session(SoakedMachine& result, std::size_t i) {
    const Chain& chain = chains_[i];
    const Chain* next = i + 1 < chains_.size() ? &chains_[i + 1] : nullptr;
    const SessionBegin& begin = chain.begin;
    Session session{result.machine,
                    result.device,
                    begin.at.utc_ns,
                    from_ns(chain.last.boot_ns - begin.at.boot_ns),
                    chain.work - chain.work_before,
                    chain.fate};
    // If the machine itself writes the heartbeats, a new session means that this one was cut off.
    if (chain.fate == SessionFate::open && next != nullptr && !begin.over_link)
      session.fate = SessionFate::cut;
    if (session.fate == SessionFate::cut) add_wait(result, session, chain, next);
    result.sessions.push_back(std::move(session));
  }

  void add_wait(SoakedMachine& result, Session& session, const Chain& chain,
                const Chain* next) const {
    if (next != nullptr) {
      session.gap =
          time_between(chain.last, chain.begin.boot_id, next->begin.at, next->begin.boot_id);
      if (session.gap) result.waits.push_back({chain.last.utc_ns, *session.gap, true});
    } else if (chains_before_refusal_ == chains_.size() &&
               last_refusal_.utc_ns > chain.last.utc_ns) {
      result.waits.push_back(
          {chain.last.utc_ns, from_ns(last_refusal_.utc_ns - chain.last.utc_ns), false});
    }
  }

  std::vector<Chain> chains_;
  std::map<std::string, std::size_t> open_;  // the last part of each session
  std::size_t refusals_ = 0;
  std::optional<Instant> first_refusal_;  // before any session
  Instant last_refusal_;
  std::size_t chains_before_refusal_ = 0;
};

/// Hands each heartbeat to its machine.
class Reader {
 public:
  void operator()(const SessionBegin& begin) {
    Machine& machine = machines_[{begin.machine, begin.device}];
    owners_[begin.id] = &machine;
    machine.take(begin);
  }
  void operator()(const SessionBeat& beat) {
    if (Machine* machine = owner(beat.id)) machine->take(beat);
  }
  void operator()(const SessionEnd& end) {
    if (Machine* machine = owner(end.id)) machine->take(end.id, end.at, SessionFate::stopped);
  }
  void operator()(const SessionLost& lost) {
    if (Machine* machine = owner(lost.id)) machine->take(lost.id, lost.at, SessionFate::cut);
  }
  void operator()(const SessionRefused& refusal) {
    machines_[{refusal.machine, refusal.device}].take(refusal);
  }

  SoakRecord record() {
    SoakRecord record{{}, strays_};
    for (auto& [name, machine] : machines_)
      record.machines.push_back(machine.told(name.first, name.second));
    return record;
  }

 private:
  Machine* owner(const std::string& id) {
    const auto found = owners_.find(id);
    if (found != owners_.end()) return found->second;
    ++strays_;
    return nullptr;
  }

  std::map<std::pair<std::string, std::string>, Machine> machines_;
  std::map<std::string, Machine*> owners_;  // of sessions, by id
  std::size_t strays_ = 0;
};

std::int64_t first_time(const HeartbeatLog& log) {
  if (log.heartbeats.empty()) return 0;
  return std::visit([](const auto& heartbeat) { return heartbeat.at.utc_ns; },
                    log.heartbeats.front());
}

constexpr double kHour = 3600;
constexpr double kDay = 24 * kHour;

/// Divides a time among the hours of the day in which it lies.
void add_to_hours(std::array<Seconds, 24>& hours, std::int64_t begin_utc_ns, Seconds length) {
  const double days = std::floor(length.count() / kDay);
  for (Seconds& hour : hours) hour += Seconds{days * kHour};
  double left = length.count() - days * kDay;
  double at = from_ns(begin_utc_ns % static_cast<std::int64_t>(kDay * 1e9)).count();
  while (left > 0) {
    const auto hour = static_cast<std::size_t>(at / kHour) % 24;
    const double until_next = kHour - std::fmod(at, kHour);
    const double part = std::min(left, until_next);
    hours[hour] += Seconds{part};
    at = (std::floor(at / kHour) + 1) * kHour;
    left -= part;
  }
}

}  // namespace

SoakRecord sessions_of(std::span<const HeartbeatLog> logs) {
  std::vector<const HeartbeatLog*> in_order;
  for (const HeartbeatLog& log : logs) in_order.push_back(&log);
  std::stable_sort(
      in_order.begin(), in_order.end(),
      [](const HeartbeatLog* a, const HeartbeatLog* b) { return first_time(*a) < first_time(*b); });
  std::set<std::string> seen;
  Reader reader;
  for (const HeartbeatLog* log : in_order)
    for (const Heartbeat& heartbeat : log->heartbeats)
      if (logs.size() < 2 || seen.insert(heartbeat_line(heartbeat)).second)
        std::visit(reader, heartbeat);
  return reader.record();
}

std::optional<double> Availability::share() const {
  if (wanted.count() <= 0) return std::nullopt;
  return held / wanted;
}

Availability availability_of(const SoakedMachine& machine) {
  Availability result;
  std::vector<Lifetime> sessions, waits;
  for (const Session& session : machine.sessions) {
    const bool cut = session.fate == SessionFate::cut;
    sessions.push_back({session.length.count(), cut});
    result.cuts += cut ? 1 : 0;
    result.held += session.length;
    add_to_hours(result.held_at, session.begin_utc_ns, session.length);
  }
  result.wanted = result.held;
  result.wanted_at = result.held_at;
  for (const Wait& wait : machine.waits) {
    waits.push_back({wait.length.count(), wait.ended});
    result.wanted += wait.length;
    add_to_hours(result.wanted_at, wait.begin_utc_ns, wait.length);
  }
  result.lasting = survival(sessions);
  result.median_session_s = median_lifetime(result.lasting);
  result.waiting = survival(waits);
  result.median_wait_s = median_lifetime(result.waiting);
  return result;
}

}  // namespace lapcast
