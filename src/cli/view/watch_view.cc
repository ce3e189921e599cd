#include "cli/view/watch_view.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "cli/view/progress_line.h"
#include "core/units.h"
#include "posix/file_descriptor.h"

namespace lapcast {
namespace {

constexpr std::size_t kMostAtOnce = 4096;  // PIPE_BUF: a pipe that can be written takes so much
constexpr std::chrono::milliseconds kDrawEvery{100};

bool can_take_more(int fd) {
  pollfd writable{fd, POLLOUT, 0};
  return poll(&writable, 1, 0) > 0;
}

}  // namespace

WatchView::WatchView(bool quiet, std::optional<Offer> offer)
    : quiet_(quiet),
      offer_(std::move(offer)),
      output_tty_(isatty(STDOUT_FILENO) != 0),
      error_tty_(isatty(STDERR_FILENO) != 0),
      group_(getpgrp()) {}

std::size_t WatchView::write(Stream stream, std::string_view bytes) {
  if (!can_take_more(fd(stream))) return 0;
  if (is_terminal(stream)) hide();
  const ssize_t written = ::write(fd(stream), bytes.data(), std::min(bytes.size(), kMostAtOnce));
  if (written < 0) return errno == EINTR || errno == EAGAIN ? 0 : bytes.size();
  const auto count = static_cast<std::size_t>(written);
  if (!is_terminal(stream)) return count;
  live_.passed(bytes.substr(0, count));
  if (count == bytes.size() && Clock::now() - drawn_ >= kDrawEvery) draw();
  return count;
}

bool WatchView::may_draw() const {
  return !quiet_ && error_tty_ && tcgetpgrp(STDERR_FILENO) == group_;
}

void WatchView::draw() {
  if (line_.empty() || !may_draw()) return;
  write_all(STDERR_FILENO, live_.show(printable(line_, terminal_width())));
  drawn_ = Clock::now();
}

void WatchView::hide() {
  if (const std::string sequence = live_.hide(); !sequence.empty())
    write_all(STDERR_FILENO, sequence);
}

void WatchView::show(const ProbeProgress& progress) {
  line_ = watch_line(progress, offer_);
  if (may_draw())
    draw();
  else if (!quiet_ && !error_tty_ && plain_.is_due(progress.elapsed))
    say(line_);
}

void WatchView::warn(const std::string& what) {
  say("warning: " + printable(what, 1000));
}

void WatchView::say(const std::string& line) {
  hide();
  const std::string begin = live_.new_row();
  write_all(STDERR_FILENO, begin + fmt::format("lapcast: {}\n", printable(line, 1100)));
}

void WatchView::end() {
  hide();
  line_.clear();
  if (error_tty_) write_all(STDERR_FILENO, live_.new_row());
}

}  // namespace lapcast
