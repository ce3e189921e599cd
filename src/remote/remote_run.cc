#include "remote/remote_run.h"

#include "core/error.h"

namespace lapcast {

std::unique_ptr<RemoteRun> remote_run(const ProbeRequest& request, const Interrupt&) {
  throw Error(ExitCode::system_failed, describe(request.site.place) + ": not built yet");
}

}  // namespace lapcast
