#include "app/measuring_lock.h"

#include <fmt/format.h>

namespace lapcast {

std::optional<SweepLock> lock_measuring(const Store& store, const std::string& key,
                                        const std::string& what, ProgressListener& listener,
                                        const Interrupt& interrupt) {
  bool said = false;
  auto lock = SweepLock::acquire(store.file(), key, [&](pid_t holder) {
    if (!said) {
      const std::string who = holder > 0 ? fmt::format(" (process {})", holder) : "";
      listener.say(fmt::format("waiting: another lapcast{} measures {}", who, what));
    }
    said = true;
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
