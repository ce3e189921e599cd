#pragma once

#include "core/error.h"
#include "remote/agent_protocol.h"

namespace lapcast {

/// Does one task of a run on the machine where the run executes, for the lapcast that coordinates
/// it. Reads stdin and writes stdout as docs/reference.md describes. Returns when the task is done
/// or the other end is gone; an answer reports a task that cannot be done. Throws Error if no
/// answer can report it.
ExitCode run_agent(const AgentTask& task);

}  // namespace lapcast
