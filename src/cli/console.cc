#include "cli/console.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <iostream>

#include "core/error.h"

namespace lapcast {

void reserve_standard_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF) continue;
    // The wrong way round: whoever uses the stream gets an error, as from a closed one.
    const int opened = open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    if (opened >= 0 && opened != fd) close(opened);
  }
}

void write_to_stderr(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
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
