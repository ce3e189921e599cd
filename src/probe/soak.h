#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/seconds.h"
#include "probe/interrupt.h"
#include "probe/light_load.h"
#include "soak/heartbeat.h"

namespace lapcast {

/// The availability experiment on this machine [methods 6.10].
struct Soak {
  Seconds every{60};            // from one heartbeat to the next
  std::optional<Seconds> most;  // ends by itself then; none = goes on until it is interrupted
  std::string device = "cpu";
  std::string machine;  // for people
  int leash_fd = -1;    // when it can be read or hangs up, whoever watches is gone; -1 = none
};

/// Takes each heartbeat; false = nobody wants more.
using HeartbeatSink = std::function<bool(const Heartbeat&)>;

/// Holds the machine with the load and tells of it, from a beginning to an end. The reason when the
/// device cannot be loaded any more: then there is no end, as when the machine is lost.
std::optional<Reason> soak(const Soak& plan, LightLoad& load, const Interrupt& interrupt,
                           const HeartbeatSink& tell);

/// Both clocks of this machine.
Instant instant_now();
/// Of the boot that instant_now().boot_ns counts from; "-" when not known.
std::string boot_id();

}  // namespace lapcast
