#pragma once

#include "core/error.h"
#include "remote/agent_protocol.h"

namespace lapcast {

/// Does one task of a run on the machine where the run takes place, for the lapcast that
/// coordinates it. Reads stdin and writes stdout as docs/reference.md says. Returns when the
/// task is done or the other end is gone; a task that cannot be done is an answer. Throws Error
/// when no answer can say so.
ExitCode run_agent(const AgentTask& task);

}  // namespace lapcast
