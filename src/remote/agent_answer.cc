#include "remote/agent_answer.h"

#include <fmt/format.h>

#include "core/units.h"
#include "probe/clock.h"
#include "remote/patience.h"

namespace lapcast {
namespace {

using namespace std::chrono_literals;

HostFailure failure_of(const Host& host, const RunningCommand& command) {
  if (auto failure = host.failure_of(command)) return *failure;
  return {{fmt::format("lapcast cannot be run on {} (exit status {}): {}", host.name(),
                       command.status(), printable(command.error(), 300))},
          false};
}

HostFailure silent_agent(const Host& host) {
  return {{fmt::format("{} does not answer: its login works, but lapcast there is silent; does one "
                       "of its disks hang?",
                       host.name())},
          true};
}

}  // namespace

HostResult<std::string> agent_answer(const Host& host, RunningCommand& command, LineBuffer& lines,
                                     const Interrupt& interrupt) {
  const MonotonicNs begin = monotonic_ns();
  MonotonicNs heard = begin;
  while (true) {
    while (auto line = lines.next())
      if (*line != kSignOfLife) return std::move(*line);
    if (lines.is_too_long())
      return tl::unexpected(
          HostFailure{{host.name() + " answers with a line that is too long"}, false});
    if (interrupt.count() > 0) return tl::unexpected(HostFailure{{"interrupted"}, false});
    if (command.ended()) return tl::unexpected(failure_of(host, command));
    const MonotonicNs now = monotonic_ns();
    if (from_ns(now - heard) > contact_patience() || from_ns(now - begin) > 2 * longest_contact())
      return tl::unexpected(silent_agent(host));
    command.wait(200ms, interrupt.fd());
    const std::string said = command.take_output();
    // Until its login is over the command itself sees to it that it does not take too long.
    if (!said.empty() || !command.marker_seen()) heard = monotonic_ns();
    lines.append(said);
  }
}

}  // namespace lapcast
