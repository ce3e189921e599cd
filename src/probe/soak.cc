#include "probe/soak.h"

#include <time.h>

#include <algorithm>
#include <cstdint>
#include <fstream>

#include "probe/clock.h"
#include "probe/ids_and_time.h"

namespace lapcast {
namespace {

std::int64_t clock_ns(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}

std::int64_t to_ns(Seconds time) {
  return static_cast<std::int64_t>(time.count() * 1e9);
}

}  // namespace

Instant instant_now() {
  return {clock_ns(CLOCK_REALTIME), clock_ns(CLOCK_BOOTTIME)};
}

std::string boot_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(file, id);
  return heartbeat_word(id);
}

std::optional<Reason> soak(const Soak& plan, LightLoad& load, const Interrupt& interrupt,
                           const HeartbeatSink& tell) {
  const std::string id = new_id();
  const Instant begin = instant_now();
  const std::int64_t end = plan.most ? begin.boot_ns + to_ns(*plan.most) : INT64_MAX;
  const int wake_fds[] = {interrupt.fd(), plan.leash_fd};
  if (load.failed()) return load.failed();
  bool wanted = tell(SessionBegin{begin, id, boot_id(), to_ns(plan.every), plan.device,
                                  heartbeat_word(plan.machine), false});
  for (std::int64_t next = begin.boot_ns; wanted && interrupt.count() == 0;) {
    const std::int64_t now = instant_now().boot_ns;
    if (now >= end) break;
    // After a time in which the machine was frozen the rhythm begins anew.
    next = std::max(next + to_ns(plan.every), now);
    load.go_on(from_ns(std::min(next, end) - now), wake_fds);
    if (load.failed()) return load.failed();
    if (interrupt.count() > 0 || instant_now().boot_ns < std::min(next, end) - 2'000'000) break;
    wanted = tell(SessionBeat{instant_now(), id, load.work()});
  }
  if (wanted) tell(SessionEnd{instant_now(), id});
  return std::nullopt;
}

}  // namespace lapcast
