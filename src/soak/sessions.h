#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/seconds.h"
#include "soak/heartbeat.h"
#include "stats/survival.h"

namespace lapcast {

/// Says how a session ended.
enum class SessionFate {
  cut,      // the machine was taken away, or died
  stopped,  // by the user: how long it would have lasted is not known
  open,     // nothing is known of its end: it may still be under way
};

/// Describes a time during which a machine was held: its heartbeats are at most three intervals
/// apart.
struct Session {
  std::string machine;
  std::string device;
  std::int64_t begin_utc_ns = 0;
  Seconds length{0};  // until the last heartbeat: up to one interval less than it really lasted
  std::int64_t work = 0;
  SessionFate fate = SessionFate::open;
  std::optional<Seconds> gap = {};  // of a cut one: from its last heartbeat until the next began;
                                    // none where there is no next, or a clock was set back
  friend bool operator==(const Session&, const Session&) = default;
};

/// Describes a time without the machine although it was wanted.
struct Wait {
  std::int64_t begin_utc_ns = 0;
  Seconds length{0};
  bool ended = true;  // false: it was not to be had until the end of the log
  friend bool operator==(const Wait&, const Wait&) = default;
};

/// Holds what logs tell of one machine and device.
struct SoakedMachine {
  std::string machine;
  std::string device;
  std::vector<Session> sessions;  // in the order of the logs
  std::vector<Wait> waits;        // before the first session, and after those that were cut
  std::size_t refusals = 0;       // times that it was asked for and not had
  friend bool operator==(const SoakedMachine&, const SoakedMachine&) = default;
};

/// Holds what logs tell of all their machines.
struct SoakRecord {
  std::vector<SoakedMachine> machines;  // in the order of machine, device
  std::size_t strays = 0;               // heartbeats of sessions whose beginning is in no log
};

/// Returns the sessions of logs. The log that begins first comes first; a line that is in several
/// logs counts once. Lengths and gaps within one boot are measured by CLOCK_BOOTTIME, gaps over a
/// reboot by UTC.
SoakRecord sessions_of(std::span<const HeartbeatLog> logs);

/// Says how far one can rely on a machine.
struct Availability {
  std::size_t cuts = 0;               // sessions whose end was seen
  std::vector<SurvivalStep> lasting;  // survival of sessions; those without a seen end are censored
  Interval<double> median_session_s;  // +infinity = more than half last longer than was seen
  std::vector<SurvivalStep> waiting;  // share of the waits that take longer
  Interval<double> median_wait_s;
  Seconds held{0};
  Seconds wanted{0};                  // held or waited for; after a stop by the user it is neither
  std::array<Seconds, 24> held_at{};  // by the hour of day, UTC
  std::array<Seconds, 24> wanted_at{};
  /// Returns held / wanted, from 0 to 1; nothing when the machine was never wanted.
  std::optional<double> share() const;
};

/// Returns the availability of a machine, from its sessions and waits.
Availability availability_of(const SoakedMachine& machine);

}  // namespace lapcast
