#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/seconds.h"
#include "remote/agent_protocol.h"

namespace lapcast {

/// Says how long a machine may be out of reach before its run counts as lost.
inline constexpr std::chrono::minutes kLostAfter{10};

/// Holds what was heard of a remote run since the last call.
struct RemoteNews {
  std::vector<AgentMessage> messages = {};  // of its record, each once
  std::string note = {};                    // what else there is to say; empty = nothing new
  bool ended = false;                       // its result is among the messages so far
  std::optional<Reason> lost = {};          // there will never be a result
  Seconds silent{0};                        // since anything was heard of the run's machine
  std::int64_t bytes = 0;                   // that came from the run's machine
  /// Says whether the messages contain all of the record that existed when it was asked for; empty
  /// = not known.
  std::optional<bool> caught_up = {};
  /// Returns whether there is nothing new.
  bool is_empty() const { return messages.empty() && note.empty() && !ended && !lost; }
};

}  // namespace lapcast
