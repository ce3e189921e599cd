#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/seconds.h"
#include "soak/heartbeat.h"

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

struct SoakRecord {
  std::vector<SoakedMachine> machines;  // in the order of machine, device
  std::size_t strays = 0;               // heartbeats of sessions whose beginning is not there
};

/// Returns the sessions of logs. The log that begins first comes first; a line that is in several
/// counts once. Lengths, and gaps within one boot, are measured by the clock that nobody sets, gaps
/// over a reboot by the other one.
SoakRecord sessions_of(std::span<const HeartbeatLog> logs);

}  // namespace lapcast
