#include "suite/soak/soak_link.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

#include "core/units.h"
#include "probe/ids_and_time.h"
#include "remote/agent_session.h"
#include "remote/patience.h"

namespace lapcast {
namespace {

using namespace std::chrono_literals;

constexpr Seconds kReconnectEvery{5};
constexpr std::size_t kMostLine = 64 << 10;

std::string seconds_text(Seconds time) {
  return fmt::format("{:.3f}s", time.count());
}

Seconds since(std::int64_t boot_ns) {
  return from_ns(instant_now().boot_ns - boot_ns);
}

}  // namespace

SoakLink::SoakLink(const Soak& plan, const PlaceSetup& setup, std::string load,
                   const Interrupt& interrupt, HeartbeatSink tell,
                   std::function<void(const std::string&)> note)
    : plan_(plan),
      setup_(setup),
      load_(std::move(load)),
      interrupt_(interrupt),
      tell_(std::move(tell)),
      note_(std::move(note)),
      host_(host_of(setup.place)),
      own_boot_id_(boot_id()),
      begin_boot_ns_(instant_now().boot_ns) {}

std::optional<Reason> SoakLink::run() {
  while (!over()) {
    const HostFailure failure = connect();
    lose_when_overdue();
    if (over()) break;
    if (!had_any_ && !failure.passes) return failure.reason;
    note_(failure.reason.text);
    if (!held_) tell_(SessionRefused{instant_now(), plan_.device, plan_.machine});
    pause(held_ ? std::min(kReconnectEvery, plan_.every) : plan_.every);
    lose_when_overdue();
  }
  if (held_) tell_(SessionEnd{instant_now(), held_->id});
  return std::nullopt;
}

HostFailure SoakLink::connect() {
  Delivery delivery(*host_, setup_, interrupt_, note_);
  auto session = AgentSession::start(
      *host_, delivery, interrupt_,
      {"soak", "--emit", "--every", seconds_text(plan_.every), "--device", plan_.device, "--load",
       load_},
      [] { return std::string(); },
      [this] {
        lose_when_overdue();
        return over();
      });
  if (!session) return session.error();
  bool any = take_line(session->first_line());
  LineBuffer lines(kMostLine);
  lines.append(session->take_rest());
  while (const auto line = lines.next()) any = take_line(*line);
  RunningCommand command = std::move(*session).take_command();
  std::int64_t heard = instant_now().boot_ns;
  while (!command.ended() && !over()) {
    command.wait(std::chrono::milliseconds(to_ns(std::min(plan_.every, Seconds{1})) / 1'000'000),
                 interrupt_.fd());
    const std::string said = command.take_output();
    if (!said.empty()) heard = instant_now().boot_ns;
    lines.append(said);
    while (const auto line = lines.next()) any = take_line(*line);
    const bool silent = any ? overdue() : since(heard) > contact_patience() || lines.is_too_long();
    if (silent) return {{fmt::format("no heartbeat came from {}", host_->name())}, true};
  }
  if (const auto lost = host_->failure_of(command)) return *lost;
  return {{fmt::format("the load on {} ended: {}", host_->name(), printable(command.error(), 300))},
          had_any_};
}

bool SoakLink::take_line(const std::string& line) {
  for (const Heartbeat& heartbeat : parse_heartbeats(line).heartbeats) take(heartbeat);
  return held_.has_value();
}

void SoakLink::take(const Heartbeat& heartbeat) {
  if (const auto* begin = std::get_if<SessionBegin>(&heartbeat)) take(*begin);
  if (const auto* beat = std::get_if<SessionBeat>(&heartbeat)) take(*beat);
}

/// Continues the session if the machine was not rebooted and not away for too long.
void SoakLink::take(const SessionBegin& begin) {
  if (held_ && (held_->boot_id != begin.boot_id || overdue())) {
    tell_(SessionLost{instant_now(), held_->id});
    held_.reset();
  }
  const Instant now = instant_now();
  had_any_ = true;
  if (held_) {
    held_->work_before += held_->work;
    held_->work = 0;
    held_->last_boot_ns = now.boot_ns;
    tell_(SessionBeat{now, held_->id, held_->work_before});
    return;
  }
  held_ = Held{new_id(), begin.boot_id, now.boot_ns};
  tell_(SessionBegin{now, held_->id, own_boot_id_, to_ns(plan_.every), plan_.device,
                     heartbeat_word(plan_.machine), true});
}

void SoakLink::take(const SessionBeat& beat) {
  if (!held_) return;
  const Instant now = instant_now();
  held_->last_boot_ns = now.boot_ns;
  held_->work = beat.work;
  tell_(SessionBeat{now, held_->id, held_->work_before + beat.work});
}

void SoakLink::lose_when_overdue() {
  if (!held_ || !overdue()) return;
  tell_(SessionLost{instant_now(), held_->id});
  held_.reset();
}

bool SoakLink::overdue() const {
  return held_ && since(held_->last_boot_ns) > patience();
}

bool SoakLink::over() const {
  return interrupt_.count() > 0 || (plan_.most && since(begin_boot_ns_) > *plan_.most);
}

void SoakLink::pause(Seconds time) const {
  pollfd fd{interrupt_.fd(), POLLIN, 0};
  poll(&fd, 1, static_cast<int>(std::min<std::int64_t>(to_ns(time) / 1'000'000, 1 << 30)));
}

}  // namespace lapcast
