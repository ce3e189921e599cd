#include "remote/ssh_relay.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>

#include "core/error.h"
#include "probe/ids_and_time.h"
#include "remote/host.h"
#include "remote/patience.h"
#include "remote/ssh.h"

namespace lapcast {
namespace {

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

/// ssh with our stdin and stderr, its stdout in a pipe: the read end of it.
int start_ssh(std::vector<std::string> words, pid_t& pid) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    throw Error(ExitCode::system_failed, "cannot open a pipe: too many open files");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, ends[1], 1);
  const int error = posix_spawnp(&pid, arguments[0], &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  close(ends[1]);
  if (error != 0) throw Error(ExitCode::system_failed, "cannot start ssh; is it installed?");
  return ends[0];
}

/// Waits until something can be read; false when the other end was silent for too long.
bool wait_for_contact(int from, ContactWatch& contact) {
  pollfd waiting{from, POLLIN, 0};
  while (poll(&waiting, 1, 200) <= 0)
    if (contact.is_overdue()) return false;
  return !contact.is_overdue();
}

/// Passes on what comes behind the line `marker`; false when that never came.
bool pass_on(int from, const std::string& marker, pid_t ssh) {
  ContactWatch contact(ssh);
  const std::string line = "\n" + marker + "\n";
  std::string head;
  bool found = false;
  std::array<char, 256 * 1024> bytes;
  while (true) {
    if (!found && !wait_for_contact(from, contact)) return false;
    const ssize_t got = read(from, bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    const std::string_view piece(bytes.data(), static_cast<std::size_t>(got));
    if (found) {
      if (!write_all(1, piece)) return true;
      continue;
    }
    head += piece;
    const std::size_t at = head.find(line);
    found = at != std::string::npos;
    if (found && !write_all(1, std::string_view(head).substr(at + line.size()))) return true;
    if (!found && head.size() > line.size()) head.erase(0, head.size() - line.size());
  }
}

}  // namespace

int relay_ssh(const std::vector<std::string>& words) {
  std::size_t at = 0;
  std::string user;
  if (words.size() > 2 && words[0] == "-l") {
    user = words[1] + "@";
    at = 2;
  }
  if (words.size() < at + 2)
    throw Error(ExitCode::usage, "ssh-relay is for rsync: HOST COMMAND ...");
  const SshHost host(user + words[at]);  // refuses what is no name
  const std::string marker = "lapcast-" + new_id();
  pid_t pid = -1;
  const int output = start_ssh(
      ssh_command(host.name(), {words.begin() + static_cast<std::ptrdiff_t>(at) + 1, words.end()},
                  marker),
      pid);
  const bool answered = pass_on(output, marker, pid);
  if (!answered) kill(pid, SIGKILL);
  close(output);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!answered) std::fprintf(stderr, "lapcast: %s: %s\n", host.name().c_str(), kSilentHost);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

}  // namespace lapcast
