#include "probe/interrupt.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "core/error.h"
#include "posix/files.h"

namespace lapcast {
namespace {

volatile sig_atomic_t signals_seen = 0;
Pipe signal_pipe;
constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
struct sigaction former_actions[3];

void on_signal(int) {
  const int saved_errno = errno;
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
  action.sa_handler = on_signal;  // no SA_RESTART: waiting calls return
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
