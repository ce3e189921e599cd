#include "fleet/sweep_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/hash.h"
#include "core/units.h"

namespace lapcast {
namespace {

/// Returns the byte that stands for a key. Two keys of one byte, which is rare, wait for each
/// other.
off_t byte_of(const std::string& key) {
  ContentHash hash;
  hash.add(key);
  return static_cast<off_t>(std::stoull(hash.hex().substr(0, 10), nullptr, 16));
}

struct flock one_byte(off_t byte) {
  struct flock range {};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  range.l_start = byte;
  range.l_len = 1;
  return range;
}

pid_t holder_of(int fd, off_t byte) {
  struct flock range = one_byte(byte);
  const bool told = fcntl(fd, F_GETLK, &range) == 0 && range.l_type != F_UNLCK;
  return told ? std::max<pid_t>(range.l_pid, 0) : 0;
}

}  // namespace

std::optional<SweepLock> SweepLock::acquire(const std::filesystem::path& store_file,
                                            const std::string& key, const OnWait& on_wait) {
  std::error_code error;
  const auto real = std::filesystem::canonical(store_file, error);
  const std::string file = (error ? store_file : real).string() + "-lock";
  SweepLock lock;
  lock.fd_ = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  const off_t byte = byte_of(key);
  while (true) {
    struct flock range = one_byte(byte);
    if (lock.fd_ >= 0 && fcntl(lock.fd_, F_SETLK, &range) == 0) return lock;
    if (lock.fd_ < 0 || (errno != EACCES && errno != EAGAIN && errno != EINTR)) {
      lock.why_not_held_ = Reason{fmt::format("{}: {}", printable(file), std::strerror(errno))};
      return lock;
    }
    if (!on_wait(holder_of(lock.fd_, byte))) return std::nullopt;
    usleep(100'000);
  }
}

SweepLock::SweepLock(SweepLock&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), why_not_held_(std::move(other.why_not_held_)) {}

SweepLock::~SweepLock() {
  if (fd_ >= 0) close(fd_);  // and with it the lock
}

}  // namespace lapcast
