#include "fleet/run_here.h"

#include <exception>
#include <optional>
#include <string>

#include "fleet/cpu_lock.h"
#include "probe/supervisor.h"
#include "remote/agent_protocol.h"

namespace lapcast {
namespace {

/// Runs a program and holds the lock on its CPUs.
class HeldRun {
 public:
  HeldRun(const ProbeRequest& request, Interrupt& interrupt, const ProbeListener& tell)
      : request_(request), interrupt_(interrupt), tell_(tell) {}

  Run run(const std::function<void(const Run&)>& tell_so_far) {
    if (!hold_cpus()) {
      Run run = run_not_started(request_.context, lock_->error().text);
      if (interrupt_.count() > 0) run.outcome = outcome::Interrupted{};
      return run;
    }
    const auto leave_cpus = [&](const Run& so_far) {
      lock_.reset();
      if (tell_so_far) tell_so_far(so_far);
    };
    return supervise(request_, interrupt_, tell_, {leave_cpus, [&] { return hold_cpus(); }});
  }

 private:
  /// Waits until nobody else measures on the CPUs; returns false when interrupted.
  bool hold_cpus() {
    if (request_.watch) return true;
    lock_.emplace(CpuLock::acquire(request_.context.machine_type.cpus, [&](const std::string& why) {
      tell_({Seconds{0}, 0, 0, why});
      return interrupt_.count() == 0;
    }));
    return lock_->has_value();
  }

  const ProbeRequest& request_;
  Interrupt& interrupt_;
  const ProbeListener& tell_;
  std::optional<Result<CpuLock>> lock_;
};

}  // namespace

Run run_here(const ProbeRequest& request, Interrupt& interrupt, const ProbeListener& tell,
             const std::function<void(const Run&)>& tell_so_far) {
  try {
    return HeldRun(request, interrupt, tell).run(tell_so_far);
  } catch (const std::exception& error) {
    return run_not_started(request.context, error.what());
  }
}

}  // namespace lapcast
