#include "remote/remote_run.h"

#include "remote/host_run.h"

namespace lapcast {

std::unique_ptr<RemoteRun> remote_run(const ProbeRequest& request, const Interrupt& interrupt) {
  return std::make_unique<HostRun>(request, interrupt);
}

}  // namespace lapcast
