#include "cli/console.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "cli/progress_line.h"
#include "core/display_width.h"
#include "core/units.h"

namespace lapcast {

void reserve_standard_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF) continue;
    // Opened in the wrong direction, so that using the stream fails, as with a closed one.
    const int opened = open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    if (opened >= 0 && opened != fd) close(opened);
  }
}

bool knows_escapes(int stream) {
  const char* const terminal = std::getenv("TERM");
  return isatty(stream) != 0 && (terminal == nullptr || std::string_view(terminal) != "dumb");
}

void write_to_stderr(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

void write_line_to_stderr(const std::string& text, bool is_bold) {
  // A line may quote programs, settings and hosts, which must not control the terminal.
  const std::string line = printable(text, text.size());
  std::vector<std::string> rows{line};
  if (isatty(STDERR_FILENO) != 0)
    rows = wrapped(line, terminal_width());
  else if (const std::size_t width = columns_of(STDERR_FILENO); width > 0)
    rows = wrapped(line, width);
  for (const std::string& row : rows)
    write_to_stderr(is_bold ? "\x1b[1m" + row + "\x1b[0m\n" : row + "\n");
}

void say_answer(const std::string& text, bool plain) {
  const bool is_bold = !plain && knows_escapes(STDERR_FILENO) && std::getenv("NO_COLOR") == nullptr;
  write_line_to_stderr("lapcast: " + text, is_bold);
}

void warn(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) say("warning: {}", line);
}

ExitCode tell_interrupted(bool again) {
  say("interrupted; the same command{} goes on where it was", again ? " without --again" : "");
  return ExitCode::interrupted;
}

void write_to_stdout(std::string_view text) {
  std::cout << text;
  finish_stdout();
}

void finish_stdout() {
  std::cout.flush();
  if (!std::cout) throw Error(ExitCode::system_failed, "cannot write to stdout (disk full?)");
}

}  // namespace lapcast
