#include "probe/program_output.h"

#include <unistd.h>

#include <cerrno>

namespace lapcast {

void ProgramOutput::open(const ChildProcess& child) {
  sources_[0].fd = child.output_fd();
  sources_[1].fd = child.error_fd();
}

void ProgramOutput::add_to(std::vector<pollfd>& fds) const {
  for (const Source& source : sources_) {
    if (!source.pending.empty())
      fds.push_back({view_->fd(source.stream), POLLOUT, 0});
    else if (source.fd >= 0)
      fds.push_back({source.fd, POLLIN, 0});
  }
}

/// Returns whether nothing is pending any more.
bool ProgramOutput::pass_on(Source& source) {
  while (!source.pending.empty()) {
    const std::size_t written = view_->write(source.stream, source.pending);
    if (written == 0) return false;
    source.pending.erase(0, written);
  }
  return true;
}

/// Returns whether there may be more to read at once.
bool ProgramOutput::pump(Source& source) {
  if (!pass_on(source) || source.fd < 0) return false;
  char buffer[64 * 1024];
  const ssize_t got = read(source.fd, buffer, sizeof buffer);
  if (got < 0) return errno == EINTR;
  if (got == 0) source.fd = -1;
  const std::string_view bytes(buffer, static_cast<std::size_t>(got));
  source.capture.append(bytes);
  if (view_ != nullptr) source.pending.assign(bytes);
  return pass_on(source) && got > 0;
}

void ProgramOutput::pump() {
  for (Source& source : sources_)
    for (int turn = 0; turn < 64 && pump(source); ++turn) {
    }
}

void ProgramOutput::finish(const Interrupt& interrupt) {
  constexpr int kMostTurns = 1024;  // nothing is left that writes on, but who knows
  const int interrupts = interrupt.count();
  for (Source& source : sources_) {
    for (int turn = 0; turn < kMostTurns;) {
      while (turn++ < kMostTurns && pump(source)) {
      }
      if (source.pending.empty() || interrupt.count() > interrupts) break;
      pollfd writable{view_->fd(source.stream), POLLOUT, 0};
      poll(&writable, 1, 200);
    }
    source.pending.clear();
  }
}

}  // namespace lapcast
