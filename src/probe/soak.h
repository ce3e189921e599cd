#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/seconds.h"
#include "probe/interrupt.h"
#include "probe/light_load.h"
#include "soak/heartbeat.h"

namespace lapcast {

/// Describes an availability experiment on this machine: it is held for as long as it can be had.
struct Soak {
  Seconds every{60};            // from one heartbeat to the next
  std::optional<Seconds> most;  // ends by itself then; none = goes on until it is interrupted
  std::string device = "cpu";
  std::string machine;  // for people
  int leash_fd = -1;    // when it can be read or hangs up, whoever watches is gone; -1 = none
};

/// Takes a heartbeat. Returns false when nobody wants more.
using HeartbeatSink = std::function<bool(const Heartbeat&)>;

/// Holds the machine with the load and tells each heartbeat, from the first to the last of a
/// session. Returns the reason when the device cannot be loaded any more: the session then has no
/// last heartbeat, as when the machine is lost.
std::optional<Reason> soak(const Soak& plan, LightLoad& load, const Interrupt& interrupt,
                           const HeartbeatSink& tell);

/// Reads both clocks of this machine.
Instant instant_now();
/// Returns the id of the boot that instant_now().boot_ns counts from; "-" when not known.
std::string boot_id();

}  // namespace lapcast
