#include "machine/system_command.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace lapcast {
namespace {

using Clock = std::chrono::steady_clock;

/// stdin and stderr are /dev/null, stdout the pipe; own process group, default signals.
int spawn(const std::vector<std::string>& arguments, int output, pid_t& pid) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&files, output, 1);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  const int error = posix_spawnp(&pid, argv[0], &files, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

/// Reads up to the end of the pipe; false when the deadline came first or it printed too much.
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

/// The status once it has ended; -1 when the deadline came first, and then it is killed.
int wait_until(pid_t pid, Clock::time_point deadline, bool kill_now) {
  int status = 0;
  while (!kill_now) {
    const pid_t ended = ::waitpid(pid, &status, WNOHANG);
    if (ended == pid) return status;
    if ((ended < 0 && errno != EINTR) || Clock::now() >= deadline) break;
    ::usleep(500);
  }
  ::kill(-pid, SIGKILL);
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return -1;
}

}  // namespace

Result<std::string> output_of(const std::vector<std::string>& arguments,
                              std::chrono::milliseconds timeout) {
  const std::string& name = arguments.at(0);
  const auto deadline = Clock::now() + timeout;
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return because("no pipe for " + name);
  pid_t pid = -1;
  const int error = spawn(arguments, ends[1], pid);
  ::close(ends[1]);
  std::string text;
  const bool whole = error == 0 && read_until(ends[0], deadline, text);
  ::close(ends[0]);
  if (error != 0) return because(name + " cannot be started: " + std::strerror(error));
  const int status = wait_until(pid, deadline, !whole);
  if (status == -1) return because(name + " did not end in time");
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return because(name + " failed");
  return text;
}

}  // namespace lapcast
