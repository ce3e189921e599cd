#include "campaign/worker_run.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "campaign/cpu_lock.h"
#include "campaign/power_limit.h"
#include "core/units.h"
#include "discover/discover.h"
#include "fleet/power_setting.h"
#include "machine/description.h"
#include "probe/ids_and_time.h"
#include "probe/request.h"
#include "probe/supervisor.h"
#include "remote/agent_protocol.h"
#include "remote/patience.h"
#include "remote/record.h"
#include "run/repair.h"

namespace lapcast {
namespace {

using namespace std::chrono_literals;

constexpr Seconds kNoticedSilence{5};  // of a machine that says once a second that it is alive
constexpr std::int64_t kTellBytes = 1 << 20;  // that came; fewer are told of at the end

class RemoteRunFollower {
 public:
  RemoteRunFollower(RemoteRun& remote, const ProbeRequest& request, const Interrupt& interrupt,
                    const ProbeListener& tell, const std::function<bool()>& coordinator_is_gone,
                    const FollowListener& listener)
      : remote_(remote),
        request_(request),
        interrupt_(interrupt),
        tell_(tell),
        coordinator_is_gone_(coordinator_is_gone),
        listener_(listener) {}

  void say(const std::string& state) const { tell_({Seconds{0}, 0, 0, state}); }

  /// Asks the run once for news and passes orders on; returns true when there is a result.
  bool look() {
    pass_on_orders();
    if (result_) return true;
    RemoteNews news = remote_.follow(1000ms);
    if (!news.note.empty()) say(news.note);
    if (request_.save_every && listener_.silence && news.silent > kNoticedSilence && !news.ended)
      listener_.silence(news.silent);
    came_ += news.bytes;
    if (came_ >= kTellBytes) tell_bytes();
    for (AgentMessage& said : news.messages) take(said);
    if (!result_ && news.lost) result_ = lost(news.lost->text);
    if (!result_ && news.ended) result_ = lost("its result cannot be read");
    if (!result_ && gave_up()) result_ = not_confirmed();
    return result_.has_value();
  }
  Run take_result() { return std::move(*result_); }
  void tell_bytes() {
    if (request_.save_every && listener_.came && came_ > 0) listener_.came(came_);
    came_ = 0;
  }
  bool is_machine_gone() const { return gone_.has_value(); }

 private:
  void take(AgentMessage& said) {
    if (const auto* progress = std::get_if<ProbeProgress>(&said)) tell_(*progress);
    if (auto* so_far = std::get_if<RunSoFar>(&said)) {
      Run run = as_run_of(request_, std::move(so_far->run));
      if (listener_.so_far) listener_.so_far(run);
      if (request_.save_every) saved_ = std::move(run);
    }
    if (auto* run = std::get_if<Run>(&said)) result_ = as_run_of(request_, std::move(*run));
    if (const auto* reason = std::get_if<Reason>(&said)) result_ = lost(reason->text);
  }

  /// Returns the run with the laps that were saved of it, if any.
  Run lost(const std::string& why) const {
    if (saved_ && !laps_of(*saved_)->laps.empty()) return ended_by_cut(*saved_, why);
    Run run = run_not_started(request_.context, why);
    run.outcome = outcome::NoLaps{why};
    return run;
  }

  /// Returns whether the order to kill the run was given so long ago that its machine ignores it.
  bool gave_up() {
    if (coordinator_is_gone_() || interrupt_.count() < 2) return false;
    if (killed_ns_ == 0) killed_ns_ = monotonic_ns();
    return from_ns(monotonic_ns() - killed_ns_) > 3 * contact_patience();
  }

  Run not_confirmed() const {
    Run run = run_not_started(request_.context, "");
    run.outcome = outcome::Interrupted{};
    run.warnings.push_back("its machine did not confirm that the program has ended");
    return run;
  }

  /// Passes orders on; those that did not arrive stay at the front, to be given again. The signal
  /// that says that the coordinator is gone is not an order.
  void pass_on_orders() {
    if (coordinator_is_gone_()) return;
    for (; interrupts_passed_on_ < interrupt_.count(); ++interrupts_passed_on_)
      if (!remote_.order(interrupts_passed_on_ == 0 ? "stop" : "kill")) return;
    char bytes[1024];
    ssize_t got = 0;
    while (request_.orders_fd >= 0 &&
           (got = recv(request_.orders_fd, bytes, sizeof bytes, MSG_DONTWAIT)) > 0)
      orders_.append({bytes, static_cast<std::size_t>(got)});
    if (!order_) order_ = orders_.next();
    for (; order_ && !gone_; order_ = orders_.next())
      if (order_->starts_with(kGoneOrder))
        gone_ = order_->substr(kGoneOrder.size());
      else if (!remote_.order(*order_))
        return;
    if (gone_) result_ = lost(*gone_);
  }

  RemoteRun& remote_;
  const ProbeRequest& request_;
  const Interrupt& interrupt_;
  const ProbeListener& tell_;
  const std::function<bool()>& coordinator_is_gone_;
  const FollowListener& listener_;
  std::int64_t came_ = 0;            // bytes that were not told of
  std::optional<Run> saved_;         // what was measured so far, where the machine may vanish
  std::optional<std::string> gone_;  // why its machine is gone
  LineBuffer orders_;
  std::optional<std::string> order_;  // to be given next
  int interrupts_passed_on_ = 0;
  MonotonicNs killed_ns_ = 0;  // when the second interrupt was seen
  std::optional<Run> result_;
};

/// Writes the power limit that the GPUs had while the program ran into the description of the
/// machine, which was made before.
void note_power_limit(RunContext& context) {
  const std::optional<int> watts = power_limit_of(context);
  for (Accelerator& gpu : context.machine.accelerators)
    if (watts && gpu.set_up && gpu.set_up->power_limit_mw > 0)
      gpu.set_up->power_limit_mw = 1000 * std::int64_t{*watts};
}

}  // namespace

Run run_here(const ProbeRequest& request, Interrupt& interrupt, const ProbeListener& tell,
             const std::function<void(const Run&)>& tell_so_far, int power_socket) try {
  std::optional<Result<CpuLock>> lock;
  const PowerLimit power(power_socket);
  std::optional<std::string> why_not;
  // Waits until nobody else measures on the CPUs; returns false when interrupted.
  const auto hold_cpus = [&] {
    if (request.watch || request.no_wait) return true;
    const auto since = std::chrono::steady_clock::now();
    lock.emplace(CpuLock::acquire(request.context.machine_type.cpus, [&](const std::string& why) {
      const Seconds waited = std::chrono::steady_clock::now() - since;
      tell({Seconds{0}, 0, 0,
            fmt::format("{} ({:.0f} s; --no-wait measures anyway)", why, waited.count())});
      return interrupt.count() == 0;
    }));
    if (!*lock) why_not = lock->error().text;
    return lock->has_value();
  };
  const auto begin = [&] {
    if (!hold_cpus()) return false;
    const Result<void> limited = power.set([&] { return interrupt.count() == 0; });
    if (!limited) why_not = limited.error().text;
    return limited.has_value();
  };
  std::optional<std::string> not_restored;
  const auto restore_power = [&] {
    if (const Result<void> done = power.restore(); !done) not_restored = done.error().text;
  };
  const auto leave = [&](const Run& so_far) {
    restore_power();
    lock.reset();
    if (tell_so_far) tell_so_far(so_far);
  };
  Run run = begin() ? supervise(request, interrupt, tell, {leave, begin, tell_so_far})
                    : run_not_started(request.context, *why_not);
  if (why_not && interrupt.count() > 0) run.outcome = outcome::Interrupted{};
  restore_power();
  if (power_socket >= 0) note_power_limit(run.context);
  if (not_restored) run.warnings.push_back("the power limit is not set back: " + *not_restored);
  return run;
} catch (const std::exception& error) {
  return run_not_started(request.context, error.what());
}

Run as_run_of(const ProbeRequest& request, Run sent) {
  RunContext context = request.context;
  context.machine = std::move(sent.context.machine);
  context.lapcast_version = std::move(sent.context.lapcast_version);
  // A run that is followed was started when it was begun, not now.
  if (!sent.context.started_at.empty()) context.started_at = std::move(sent.context.started_at);
  sent.context = std::move(context);
  repair_measured(sent, today());
  if (sent.context.started_at.empty()) sent.context.started_at = request.context.started_at;
  return sent;
}

std::optional<FollowedRun> follow_remote_run(RemoteRun& remote, const ProbeRequest& request,
                                             const Interrupt& interrupt, const ProbeListener& tell,
                                             const std::function<bool()>& coordinator_is_gone,
                                             const FollowListener& listener) {
  RemoteRunFollower follower(remote, request, interrupt, tell, coordinator_is_gone, listener);
  const Result<void> begun = remote.begin([&](const std::string& what) { follower.say(what); });
  if (coordinator_is_gone()) return std::nullopt;
  if (!begun) {
    Run run = run_not_started(request.context, begun.error().text);
    if (interrupt.count() > 0) run.outcome = outcome::Interrupted{};
    return FollowedRun{run, false};
  }
  while (!follower.look())
    if (coordinator_is_gone()) return std::nullopt;
  follower.tell_bytes();
  return FollowedRun{follower.take_result(), !follower.is_machine_gone()};
}

}  // namespace lapcast
