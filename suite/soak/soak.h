#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "fleet/fleet_file.h"
#include "spot/heartbeat.h"
#include "suite/soak/holder.h"

namespace lapcast {

/// Says which machine is held and with what load. `plan.machine` is its name in the heartbeats;
/// empty = this machine's host name.
struct SoakRequest {
  Soak plan;
  double share = 0.05;                    // part of the time in which one CPU or the GPU is busy
  std::string load = "5%";                // the same as text, for a remote machine
  std::filesystem::path heartbeats;       // the file to write them to
  std::optional<PlaceSetup> remote = {};  // absent: holds this machine
};

/// Receives events while a machine is held.
struct SoakListener {
  /// Receives a heartbeat and the result of writing it to the file.
  std::function<void(const Heartbeat&, const Result<void>& written)> on_heartbeat;
  /// Receives a line about the link to a remote machine.
  std::function<void(const std::string&)> say;
};

/// Holds a machine with a light load until it is interrupted or the time is over, and writes its
/// heartbeats. Returns the reason if the machine or its device is no longer available. Throws Error
/// if the file cannot be written.
std::optional<Reason> hold_machine(const SoakRequest& request, const Interrupt& interrupt,
                                   const SoakListener& listener);

/// Holds this machine for a lapcast that started this one over a link: prints the heartbeats on
/// stdout until stdin ends. Throws Error (system_failed) if the device cannot be loaded.
void emit_heartbeats(const SoakRequest& request);

/// Returns the place of a machine of a fleet that can be held over ssh. Throws Error (usage) if the
/// fleet has no machine of that name, or if the machine's place has a queue, which decides who gets
/// it. `file` names the fleet's file in the message.
PlaceSetup place_to_hold(const Fleet& fleet, const std::string& name, const std::string& file);

}  // namespace lapcast
