#include "probe/interrupt.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "posix/files.h"

namespace lapcast {
namespace {

volatile sig_atomic_t signals_seen = 0;
Pipe signal_pipe;
constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
struct sigaction former_actions[3];

/// Returns the parent of a process, 0 where that is not known. For a signal handler: it neither
/// allocates nor locks.
pid_t parent_of(pid_t pid) {
  char name[32] = "/proc/";
  char* const end = std::to_chars(name + 6, name + 20, pid).ptr;
  std::memcpy(end, "/stat", 6);
  const int fd = open(name, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  char text[256];
  const ssize_t got = read(fd, text, sizeof text);
  close(fd);
  const std::string_view stat(text, got > 0 ? static_cast<std::size_t>(got) : 0);
  const std::size_t name_end = stat.rfind(") ");  // "17 (a name) S 12 ..."
  pid_t parent = 0;
  if (name_end != stat.npos && name_end + 4 < stat.size())
    std::from_chars(stat.data() + name_end + 4, stat.data() + stat.size(), parent);
  return parent;
}

/// Returns whether a process below this one sent the signal, such as a program that ends all of
/// its process group with kill(0) and is in lapcast's.
bool is_from_below(const siginfo_t& signal) {
  if (signal.si_code != SI_USER) return false;  // a key of the terminal, or its end
  const pid_t self = getpid();
  int steps = 64;
  for (pid_t pid = parent_of(signal.si_pid); pid > 1 && steps > 0; pid = parent_of(pid), --steps)
    if (pid == self) return true;
  return false;
}

void on_signal(int, siginfo_t* signal, void*) {
  const int saved_errno = errno;
  if (is_from_below(*signal)) {
    errno = saved_errno;
    return;
  }
  signals_seen = signals_seen + 1;
  [[maybe_unused]] const ssize_t written = write(signal_pipe.write_end.get(), "!", 1);
  errno = saved_errno;
}

void renew_signal_pipe() {
  Result<Pipe> fresh = open_pipe();
  if (!fresh) throw Error(ExitCode::system_failed, fresh.error().text);
  for (const FileDescriptor* end : {&fresh->read_end, &fresh->write_end}) set_nonblocking(*end);
  signal_pipe = std::move(*fresh);
}

}  // namespace

Interrupt::Interrupt() {
  renew_signal_pipe();
  signals_seen = 0;
  struct sigaction action {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO;  // no SA_RESTART: waiting calls return
  sigfillset(&action.sa_mask);
  for (int i = 0; i < 3; ++i) {
    sigaction(kSignals[i], &action, &former_actions[i]);
    const bool nohup = kSignals[i] == SIGHUP && former_actions[i].sa_handler == SIG_IGN;
    if (nohup) sigaction(SIGHUP, &former_actions[i], nullptr);
  }
}

Interrupt::~Interrupt() {
  for (int i = 0; i < 3; ++i) sigaction(kSignals[i], &former_actions[i], nullptr);
  signal_pipe = {};
}

int Interrupt::fd() const {
  return signal_pipe.read_end.get();
}
int Interrupt::count() const {
  return signals_seen;
}

int Interrupt::count_after(Seconds at_most) const {
  pollfd signals{fd(), POLLIN, 0};
  poll(&signals, 1, static_cast<int>(at_most.count() * 1e3));
  return count();
}

void Interrupt::restart_in_child() {
  renew_signal_pipe();
  signals_seen = 0;
}

}  // namespace lapcast
