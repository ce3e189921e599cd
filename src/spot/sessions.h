#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/seconds.h"
#include "spot/heartbeat.h"
#include "stats/survival.h"

namespace lapcast {

/// Says how a session ended.
enum class SessionFate {
  cut,      // the machine was taken away or failed
  stopped,  // the user ended it: how long it would have lasted is not known
  open,     // its end is not known; it may still go on
};

/// Describes a period in which a machine was held. Its heartbeats are at most three planned
/// intervals apart; after a longer gap another session begins.
struct Session {
  std::string machine;
  std::string device;
  std::int64_t begin_utc_ns = 0;
  Seconds length{0};      // until the last heartbeat: up to one interval too short
  std::int64_t work = 0;  // units of load done in it
  SessionFate fate = SessionFate::open;
  /// Holds the time from the last heartbeat of a session that was cut to the start of the next one;
  /// absent when there is no next one, or when a clock was set back.
  std::optional<Seconds> gap = {};
  friend bool operator==(const Session&, const Session&) = default;
};

/// Describes a period in which the machine was wanted but not held.
struct Wait {
  std::int64_t begin_utc_ns = 0;
  Seconds length{0};
  bool ended = true;  // false: no session followed; the wait is counted to the last refusal
  friend bool operator==(const Wait&, const Wait&) = default;
};

/// Holds the sessions and waits of one machine and device.
struct SoakedMachine {
  std::string machine;
  std::string device;
  std::vector<Session> sessions;  // in the order of the logs
  std::vector<Wait> waits;        // before the first session, and after sessions that were cut
  std::size_t refusals = 0;       // times that the machine was asked for and was not available
  friend bool operator==(const SoakedMachine&, const SoakedMachine&) = default;
};

/// Holds what heartbeat files say of all their machines.
struct SoakRecord {
  std::vector<SoakedMachine> machines;  // sorted by machine, then device
  std::size_t strays = 0;               // heartbeats left out because no log has their SessionBegin
};

/// Returns the sessions of logs, in the order in which the logs begin. A line that several logs
/// have counts once. Lengths, and gaps within one boot, are measured by CLOCK_BOOTTIME; gaps over a
/// reboot by UTC.
SoakRecord sessions_of(std::span<const HeartbeatLog> logs);

/// Says how reliable the supply of a machine is.
struct Availability {
  std::size_t cuts = 0;               // sessions that were cut
  std::vector<SurvivalStep> lasting;  // of sessions, in seconds; sessions not cut are censored
  Interval<double> median_session_s;  // +infinity = fewer than half of them were observed to end
  std::vector<SurvivalStep> waiting;  // of waits, in seconds; waits that did not end are censored
  Interval<double> median_wait_s;     // +infinity likewise
  Seconds held{0};
  Seconds wanted{0};                    // held or waited for; not the time after a stop by the user
  std::array<Seconds, 24> held_at{};    // `held` by the hour of the day, UTC
  std::array<Seconds, 24> wanted_at{};  // `wanted` by the hour of the day, UTC
  /// Returns held / wanted, from 0 to 1; nothing when the machine was never wanted.
  std::optional<double> share() const;
};

Availability availability_of(const SoakedMachine& machine);

}  // namespace lapcast
