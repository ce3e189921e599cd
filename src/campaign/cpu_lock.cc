#include "campaign/cpu_lock.h"
#include "discover/discover.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>

namespace lapcast {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

struct Address {
  sockaddr_un name{};
  socklen_t size = 0;
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&name); }
};

/// Returns an abstract address: it starts with NUL, and only its size says where it ends.
Address address_of(const std::string& scope, int cpu) {
  Address address;
  address.name.sun_family = AF_UNIX;
  const std::string text = (scope + "-cpu-" + std::to_string(cpu)).substr(0, 100);
  std::memcpy(address.name.sun_path + 1, text.data(), text.size());
  address.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
  return address;
}

int new_socket() {
  return ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

/// Returns a socket that holds the address; -1 with errno, which is EADDRINUSE when another process
/// holds it.
int bind_to(const Address& address) {
  const int fd = new_socket();
  if (fd < 0) return -1;
  // The socket listens so that others can ask the kernel who holds it.
  if (::bind(fd, address.get(), address.size) == 0 && ::listen(fd, 16) == 0) return fd;
  const int error = errno;
  ::close(fd);
  errno = error;
  return -1;
}

/// Returns the process that holds the address; 0 when the kernel does not tell.
pid_t holder_of(const Address& address) {
  const int fd = new_socket();
  if (fd < 0) return 0;
  ucred peer{};
  socklen_t size = sizeof peer;
  const bool told = ::connect(fd, address.get(), address.size) == 0 &&
                    ::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0;
  ::close(fd);
  return told ? peer.pid : 0;
}

std::string who_holds(const Address& address, int cpu) {
  const pid_t pid = holder_of(address);
  const std::string who = pid > 0 ? "process " + std::to_string(pid) : "another lapcast";
  return "CPU " + std::to_string(cpu) + ": " + who + " measures on it";
}

/// Waits for one CPU.
Result<int> take(int cpu, Clock::time_point deadline, const CpuLock::OnWait& on_wait,
                 const std::string& scope) {
  const Address address = address_of(scope, cpu);
  std::string holder;
  for (int tries = 0;; ++tries) {
    const int fd = bind_to(address);
    if (fd >= 0) return fd;
    if (errno != EADDRINUSE) {
      return because("CPU " + std::to_string(cpu) + " cannot be locked: " + std::strerror(errno));
    }
    // The holder's queue of connections is short, so ask only every few seconds.
    if (tries % 50 == 0) holder = who_holds(address, cpu);
    if (on_wait && !on_wait("waiting for " + holder))
      return because("gave up waiting for " + holder);
    if (Clock::now() >= deadline) return because("no longer waiting for " + holder);
    ::usleep(100'000);
  }
}

}  // namespace

Result<CpuLock> CpuLock::acquire(std::vector<int> cpus, const OnWait& on_wait,
                                 std::optional<std::chrono::milliseconds> timeout,
                                 const std::string& scope) {
  if (cpus.empty()) cpus = allowed_cpus();
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  const auto deadline = timeout ? Clock::now() + *timeout : Clock::time_point::max();
  CpuLock lock;
  for (const int cpu : cpus) {
    const Result<int> socket = take(cpu, deadline, on_wait, scope);
    if (!socket) return tl::unexpected(socket.error());
    lock.sockets_.push_back(*socket);
  }
  return lock;
}

CpuLock::~CpuLock() {
  for (const int socket : sockets_) ::close(socket);
}

}  // namespace lapcast
