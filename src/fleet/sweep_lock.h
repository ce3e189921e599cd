#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "core/error.h"

namespace lapcast {

/// Keeps two lapcasts on one store from measuring the same thing at once. All locks of a store are
/// single bytes of one file beside it (STORE-lock), which is empty, is never removed, and whose
/// locks the kernel frees however their holder ends. A process holds one at a time; its children
/// do not hold it.
class SweepLock {
 public:
  /// Is called while another process holds the lock, first at once and then about ten times a
  /// second; `holder` is 0 when it is not known, as on another machine. Returns false to give up.
  using OnWait = std::function<bool(pid_t holder)>;

  /// Waits for the lock of `key`. Returns nothing when on_wait gave up. Where the file system has
  /// no locks, or the file cannot be made, nothing is waited for: why_not_held() says so.
  static std::optional<SweepLock> acquire(const std::filesystem::path& store_file,
                                          const std::string& key, const OnWait& on_wait);
  const std::optional<Reason>& why_not_held() const { return why_not_held_; }

  SweepLock(SweepLock&& other) noexcept;
  SweepLock& operator=(SweepLock&&) = delete;
  ~SweepLock();

 private:
  SweepLock() = default;
  int fd_ = -1;
  std::optional<Reason> why_not_held_;
};

}  // namespace lapcast
