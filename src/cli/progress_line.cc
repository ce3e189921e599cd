#include "cli/progress_line.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

#include "core/units.h"

namespace lapcast {

std::size_t terminal_width() {
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 10;
  return known ? size.ws_col - 1u : 79u;
}

ProgressLine::ProgressLine(bool quiet) : quiet_(quiet), terminal_(isatty(STDERR_FILENO) != 0) {}
ProgressLine::~ProgressLine() { clear(); }

void ProgressLine::show(const std::string& text) {
  if (quiet_ || !terminal_) return;
  const std::string line = printable(text, terminal_width());
  if (line == shown_) return;
  std::fprintf(stderr, "\r\033[K%s", line.c_str());
  std::fflush(stderr);
  shown_ = line;
}

void ProgressLine::finished(const std::string& text) {
  clear();
  if (!quiet_) std::fprintf(stderr, "%s\n", printable(text, 2000).c_str());
}

void ProgressLine::clear() {
  if (!shown_.empty()) std::fputs("\r\033[K", stderr);
  shown_.clear();
}

}  // namespace lapcast
