#include "probe/interrupt.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>

#include "core/error.h"

namespace lapcast {
namespace {

volatile sig_atomic_t signals_seen = 0;
int pipe_ends[2] = {-1, -1};
constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
struct sigaction former_actions[3];

void on_signal(int) {
  const int saved_errno = errno;
  signals_seen = signals_seen + 1;
  [[maybe_unused]] const ssize_t written = write(pipe_ends[1], "!", 1);
  errno = saved_errno;
}

void open_pipe() {
  if (pipe2(pipe_ends, O_CLOEXEC | O_NONBLOCK) != 0)
    throw Error(ExitCode::system_failed, "cannot open a pipe: too many open files?");
}

void close_pipe() {
  close(pipe_ends[0]);
  close(pipe_ends[1]);
}

}  // namespace

Interrupt::Interrupt() {
  open_pipe();
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
  close_pipe();
}

int Interrupt::fd() const {
  return pipe_ends[0];
}
int Interrupt::count() const {
  return signals_seen;
}

void Interrupt::restart_in_child() {
  close_pipe();
  open_pipe();
  signals_seen = 0;
}

}  // namespace lapcast
