#include "remote/ssh_relay.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>

#include "core/error.h"
#include "posix/spawn.h"
#include "probe/ids_and_time.h"
#include "remote/host.h"
#include "remote/patience.h"
#include "remote/ssh.h"

namespace lapcast {
namespace {

/// Waits until something can be read. Returns false when the other end was silent for too long.
bool wait_for_contact(int from, ContactWatch& contact) {
  pollfd waiting{from, POLLIN, 0};
  while (poll(&waiting, 1, 200) <= 0)
    if (contact.is_overdue()) return false;
  return !contact.is_overdue();
}

/// Passes on what comes behind the line `marker`. Returns false when the line never came.
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
  Result<Pipe> output = open_pipe();
  if (!output) throw Error(ExitCode::system_failed, output.error().text);
  const Result<pid_t> ssh = spawn(
      {.arguments = ssh_command(
           host.name(), {words.begin() + static_cast<std::ptrdiff_t>(at) + 1, words.end()}, marker),
       .streams = {kInheritedStream, output->write_end.get(), kInheritedStream}});
  if (!ssh) throw Error(ExitCode::system_failed, ssh.error().text + "; is ssh installed?");
  output->write_end.reset();
  const bool answered = pass_on(output->read_end.get(), marker, *ssh);
  if (!answered) kill(*ssh, SIGKILL);
  output->read_end.reset();
  const int status = wait_for(*ssh);
  if (!answered) std::fprintf(stderr, "lapcast: %s: %s\n", host.name().c_str(), kSilentHost);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

}  // namespace lapcast
