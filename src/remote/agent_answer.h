#pragma once

#include <string>

#include "remote/host.h"
#include "remote/probe_lines.h"

namespace lapcast {

/// Waits for the next line that lapcast on another machine prints, signs of life left out; `lines`
/// holds what came beyond it. Failure when the command ended, a signal came, or nothing at all came
/// for contact_patience() after the login, or no line within twice longest_contact().
HostResult<std::string> agent_answer(const Host& host, RunningCommand& command, LineBuffer& lines,
                                     const Interrupt& interrupt);

}  // namespace lapcast
