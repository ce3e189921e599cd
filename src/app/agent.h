#pragma once

#include "core/error.h"
#include "remote/agent_protocol.h"

namespace lapcast {

/// Does one task on the machine where a run takes place, asked by the lapcast that coordinates it.
/// Reads stdin and writes stdout as docs/agent-protocol.md says. Returns when the task is done or
/// the other end is gone; a task that cannot be done is an answer. Throws Error when no answer can
/// tell so.
ExitCode run_agent(const AgentTask& task);

}  // namespace lapcast
