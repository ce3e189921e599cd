#pragma once

#include <memory>

#include "probe/interrupt.h"
#include "probe/request.h"
#include "remote/remote_run.h"

namespace lapcast {

/// Returns the run of a request at its place. An interrupt ends begin() and shortens the wait of
/// follow(), but does not reach the program; order() does.
std::unique_ptr<RemoteRun> remote_run(const ProbeRequest& request, const Interrupt& interrupt);

}  // namespace lapcast
