#include "campaign/measuring.h"

#include <fmt/format.h>

#include <utility>

namespace lapcast {

std::optional<SweepLock> MeasuringTools::lock(const std::string& key,
                                              const std::string& what) const {
  bool said = false;
  auto lock = SweepLock::acquire(store.file(), key, [&](pid_t holder) {
    if (!std::exchange(said, true)) {
      const std::string who = holder > 0 ? fmt::format(" (process {})", holder) : "";
      listener.say(fmt::format("waiting: another lapcast{} measures {}", who, what));
    }
    return interrupt.count() == 0;
  });
  if (lock && lock->why_not_held())
    listener.say(
        fmt::format("warning: no lock beside the store ({}): do not start the same command "
                    "twice at once",
                    lock->why_not_held()->text));
  return lock;
}

}  // namespace lapcast
