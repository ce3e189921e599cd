#include "fleet/run_here.h"

#include <exception>
#include <optional>

#include "fleet/cpu_lock.h"
#include "probe/supervisor.h"
#include "remote/probe_lines.h"

namespace lapcast {
namespace {

Run run_with_lock(const ProbeRequest& request, Interrupt& interrupt, const ProbeListener& tell) {
  std::optional<Result<CpuLock>> lock;
  if (!request.watch) {
    lock.emplace(CpuLock::acquire(request.context.machine_type.cpus, [&](const std::string& why) {
      tell({Seconds{0}, 0, 0, why});
      return interrupt.count() == 0;
    }));
  }
  if (!lock || *lock) return supervise(request, interrupt, tell);
  Run run = run_not_started(request.context, lock->error().text);
  if (interrupt.count() > 0) run.outcome = outcome::Interrupted{};
  return run;
}

}  // namespace

Run run_here(const ProbeRequest& request, Interrupt& interrupt, const ProbeListener& tell) {
  try {
    return run_with_lock(request, interrupt, tell);
  } catch (const std::exception& error) {
    return run_not_started(request.context, error.what());
  }
}

}  // namespace lapcast
