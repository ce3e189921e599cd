#include "machine/system_command.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>

#include "posix/program_file.h"
#include "posix/spawn.h"

namespace lapcast {
namespace {

using Clock = std::chrono::steady_clock;

/// Reads up to the end of the pipe. Returns false when the deadline came first, or too much.
bool read_until(int fd, Clock::time_point deadline, std::string& text) {
  constexpr std::size_t kMostBytes = 1 << 20;
  std::array<char, 4096> buffer;
  while (text.size() <= kMostBytes) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd waiting{fd, POLLIN, 0};
    if (::poll(&waiting, 1, static_cast<int>(left)) <= 0) continue;
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return false;
}

/// Waits for the program to end, and kills it with its children at the deadline, or at once.
/// Returns its wait status; none when it was killed.
std::optional<int> wait_until(pid_t pid, Clock::time_point deadline, bool kill_now) {
  int status = 0;
  while (!kill_now) {
    const pid_t ended = ::waitpid(pid, &status, WNOHANG);
    if (ended == pid) return status;
    if ((ended < 0 && errno != EINTR) || Clock::now() >= deadline) break;
    ::usleep(500);
  }
  ::kill(-pid, SIGKILL);
  wait_for(pid);
  return std::nullopt;
}

}  // namespace

Result<std::string> output_of(const std::vector<std::string>& arguments,
                              std::chrono::milliseconds timeout) {
  const std::string& name = arguments.at(0);
  const auto deadline = Clock::now() + timeout;
  if (!find_program(name)) return because(name + " cannot be started: there is no such program");
  Result<Pipe> output = open_pipe();
  if (!output) return tl::unexpected(output.error());
  const Result<pid_t> pid = spawn({.arguments = arguments,
                                   .streams = {kNullStream, output->write_end.get(), kNullStream},
                                   .group = ProcessGroup::own});
  if (!pid) return because(name + " cannot be started: " + pid.error().text);
  output->write_end.reset();
  std::string text;
  const bool whole = read_until(output->read_end.get(), deadline, text);
  output->read_end.reset();
  const auto status = wait_until(*pid, deadline, !whole);
  if (!status) return because(name + " did not end in time");
  if (!WIFEXITED(*status) || WEXITSTATUS(*status) != 0) return because(name + " failed");
  return text;
}

}  // namespace lapcast
