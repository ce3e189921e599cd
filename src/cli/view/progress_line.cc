#include "cli/view/progress_line.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <utility>

#include "cli/console.h"
#include "core/units.h"

namespace lapcast {
namespace {

winsize terminal_size() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0) size = {};
  return size;
}

}  // namespace

std::size_t terminal_width() {
  const winsize size = terminal_size();
  return size.ws_col > 10 ? size.ws_col - 1u : 79u;
}

ProgressLine::ProgressLine(bool quiet) : quiet_(quiet), terminal_(isatty(STDERR_FILENO) != 0) {}
ProgressLine::~ProgressLine() {
  clear();
}

void ProgressLine::show(std::vector<std::string> rows) {
  if (quiet_ || !terminal_) return;
  const std::size_t height = terminal_size().ws_row;
  rows = first_rows(std::move(rows), height > 3 ? height / 2 : 12);
  for (std::string& row : rows) row = printable(row, terminal_width());
  write_to_stderr(rows_.show(rows));
}

void ProgressLine::finished(const std::string& text) {
  clear();
  if (!quiet_) write_to_stderr(printable(text, 2000) + "\n");
}

void ProgressLine::clear() {
  write_to_stderr(rows_.hide());
}

}  // namespace lapcast
