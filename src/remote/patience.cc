#include "remote/patience.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/units.h"
#include "machine/proc_text.h"
#include "posix/files.h"
#include "posix/spawn.h"
#include "probe/ids_and_time.h"
#include "remote/agent_protocol.h"

namespace lapcast {
namespace {

constexpr Seconds kPatience{10};
constexpr Seconds kLeastPatience{0.1};
constexpr Seconds kMostPatience{3600};
constexpr int kLongestContact = 6;  // times the patience: 9 round trips of a login, of 2 s each
constexpr MonotonicNs kLookEvery = 100'000'000;

/// Returns the bytes that a process has read from anything but memory; 0 when it is not known.
std::int64_t bytes_read_by(pid_t process) {
  const std::string text = text_of_file(fmt::format("/proc/{}/io", process));
  const auto bytes = find_field(text, "rchar", ':');
  return bytes ? parse_integer(*bytes).value_or(0) : 0;
}

/// Adds up what a process and those that it started have read.
std::int64_t bytes_read_by_all(pid_t process, int depth = 0) {
  std::int64_t bytes = bytes_read_by(process);
  const std::string children = text_of_file(fmt::format("/proc/{0}/task/{0}/children", process));
  if (depth > 3) return bytes;
  for (const std::string_view child : split(children, ' '))
    if (const auto pid = parse_integer(child))
      bytes += bytes_read_by_all(static_cast<pid_t>(*pid), depth + 1);
  return bytes;
}

/// Prints message::SignOfLife again and again, until it cannot be printed.
int print_signs_of_life() {
  const std::string line = to_line(message::SignOfLife{});
  do usleep(kSignOfLifeEvery / 1000);
  while (write_all(STDOUT_FILENO, line));
  return 0;
}

}  // namespace

Seconds contact_patience() {
  const char* text = std::getenv("LAPCAST_PATIENCE");
  if (text == nullptr || *text == '\0') return kPatience;
  try {
    const Seconds patience = parse_duration(text);
    if (patience >= kLeastPatience && patience <= kMostPatience) return patience;
  } catch (const Error&) {
  }
  throw Error(ExitCode::usage,
              fmt::format("LAPCAST_PATIENCE is '{}'; it must be a duration from 100ms to 1h, such "
                          "as 30s",
                          printable(text, 40)));
}

Seconds longest_contact() {
  return contact_patience() * kLongestContact;
}

ContactWatch::ContactWatch(pid_t process)
    : process_(process), begin_ns_(monotonic_ns()), heard_ns_(begin_ns_) {}

bool ContactWatch::is_overdue() {
  const MonotonicNs now = monotonic_ns();
  if (overdue_ || now - looked_ns_ < kLookEvery) return overdue_;
  looked_ns_ = now;
  const std::int64_t bytes = bytes_read_by_all(process_);
  if (bytes != bytes_read_ || heard_now_) heard_ns_ = now;
  bytes_read_ = bytes;
  heard_now_ = false;
  overdue_ =
      from_ns(now - heard_ns_) > contact_patience() || from_ns(now - begin_ns_) > longest_contact();
  return overdue_;
}

SignsOfLife::SignsOfLife()
    : process_(
          spawn({.signal_at_parent_death = SIGKILL, .work = print_signs_of_life}).value_or(-1)) {}

void SignsOfLife::stop() {
  if (process_ <= 0) return;
  kill(process_, SIGKILL);
  wait_for(std::exchange(process_, -1));
}

}  // namespace lapcast
