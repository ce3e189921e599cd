#include "remote/remote_run.h"

#include "remote/host_run.h"
#include "remote/slurm_run.h"

namespace lapcast {

std::unique_ptr<RemoteRun> remote_run(const ProbeRequest& request, const Interrupt& interrupt) {
  if (std::holds_alternative<SlurmPlace>(request.site.place))
    return std::make_unique<SlurmRun>(request, interrupt);
  return std::make_unique<HostRun>(request, interrupt);
}

}  // namespace lapcast
