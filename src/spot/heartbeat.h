#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lapcast {

/// Says when something happened, by two clocks of the machine that writes the heartbeats.
struct Instant {
  std::int64_t utc_ns = 0;   // since 1970; may jump
  std::int64_t boot_ns = 0;  // CLOCK_BOOTTIME: since its boot, suspended time included
  friend bool operator==(const Instant&, const Instant&) = default;
};

/// Says that a session begins: the machine is held from now on. The texts of this and the other
/// heartbeats are words as heartbeat_word() makes them.
struct SessionBegin {
  Instant at;
  std::string id;             // 12 hex digits
  std::string boot_id;        // id of the boot from which at.boot_ns counts
  std::int64_t every_ns = 0;  // planned time from one heartbeat to the next
  std::string device;         // "cpu", "cuda"
  std::string machine;        // host name, or the name in the fleet file
  bool over_link = false;     // another machine writes the heartbeats, and SessionLost at the end
  friend bool operator==(const SessionBegin&, const SessionBegin&) = default;
};
/// Says that a session goes on.
struct SessionBeat {
  Instant at;
  std::string id;
  std::int64_t work = 0;  // units of load done since the session began
  friend bool operator==(const SessionBeat&, const SessionBeat&) = default;
};
/// Says that the user ended the session. How long it would have lasted is not known.
struct SessionEnd {
  Instant at;
  std::string id;
  friend bool operator==(const SessionEnd&, const SessionEnd&) = default;
};
/// Says that the machine no longer answers over the link, so the session was cut.
struct SessionLost {
  Instant at;
  std::string id;
  friend bool operator==(const SessionLost&, const SessionLost&) = default;
};
/// Says that a machine was asked for and was not available.
struct SessionRefused {
  Instant at;
  std::string device;
  std::string machine;
  friend bool operator==(const SessionRefused&, const SessionRefused&) = default;
};

/// Holds one line of a heartbeat file.
using Heartbeat = std::variant<SessionBegin, SessionBeat, SessionEnd, SessionLost, SessionRefused>;

/// Returns a heartbeat as one line with its line break.
std::string heartbeat_line(const Heartbeat& heartbeat);

struct HeartbeatLog {
  std::vector<Heartbeat> heartbeats;  // in the order of the file
  std::size_t damaged_lines = 0;      // lines left out because they do not parse
};

/// Parses a heartbeat file of any bytes. The last line needs no line break; empty lines are
/// skipped.
HeartbeatLog parse_heartbeats(std::string_view text);

/// Returns a text as a word of a heartbeat, cut at 100 bytes: blanks and what is not printable
/// ASCII become '_', and an empty text becomes "-".
std::string heartbeat_word(std::string_view text);

}  // namespace lapcast
