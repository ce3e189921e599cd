#include "remote/agent_session.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <variant>

#include "core/hash.h"
#include "core/units.h"
#include "probe/clock.h"
#include "remote/delivery.h"
#include "remote/patience.h"

namespace lapcast {
namespace {

using namespace std::chrono_literals;

// Takes the folder as $1. It is one line, since csh allows no more.
constexpr const char* kEnter =
    "cd && (umask 077 && mkdir -p -- \"$1\") && cd -- \"$1\" && shift && ";

// Takes the tool's name as $1, `uname -sm` of this binary as $2, its version as $3, and then
// lapcast's arguments.
constexpr const char* kStart =
    "t=bin/$1 && u=$2 && v=$3 && shift 3 && if [ \"$(uname -sm)\" != \"$u\" ]; then "
    "t=bin/lapcast; [ -x $t ] || t=$(command -v lapcast); "
    "[ \"$(\"$t\" --version 2>/dev/null)\" = \"lapcast $v\" ] || t=; fi; "
    "if [ -x \"$t\" ]; then exec \"$t\" \"$@\"; fi; echo \"N tool $(uname -sm)\"";

/// Returns a hash over all bytes of this binary.
std::string own_hash() {
  const int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  struct stat info {};
  ContentHash hash;
  if (fd >= 0 && fstat(fd, &info) == 0 && info.st_size > 0) {
    const auto size = static_cast<std::size_t>(info.st_size);
    void* bytes = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes != MAP_FAILED) {
      hash.add(std::string_view(static_cast<const char*>(bytes), size));
      munmap(bytes, size);
    }
  }
  if (fd >= 0) close(fd);
  return hash.hex();
}

HostFailure is_silent(const Host& host) {
  return {{fmt::format("{} does not answer: its login works, but lapcast on it is silent; does one "
                       "of its disks hang?",
                       host.name())},
          true};
}

}  // namespace

std::string agent_folder(const PlaceSetup& setup) {
  if (setup.folder.empty()) return ".cache/lapcast";
  return setup.folder.starts_with("~/") ? setup.folder.substr(2) : setup.folder;
}

const std::string& tool_name() {
  static const std::string name = fmt::format("lapcast-{}-{}", LAPCAST_VERSION, own_hash());
  return name;
}

std::string tool_architecture() {
  utsname system{};
  uname(&system);
  return fmt::format("{} {}", system.sysname, system.machine);
}

std::vector<std::string> in_agent_folder(const PlaceSetup& setup, const std::string& script,
                                         const std::vector<std::string>& arguments) {
  std::vector<std::string> command{"sh", "-c", kEnter + script, "sh", agent_folder(setup)};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return command;
}

std::vector<std::string> agent_command(const PlaceSetup& setup,
                                       const std::vector<std::string>& arguments) {
  std::vector<std::string> all{tool_name(), tool_architecture(), LAPCAST_VERSION};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return in_agent_folder(setup, kStart, all);
}

HostResult<AgentSession> AgentSession::start(const Host& host, Delivery& delivery,
                                             const Interrupt& interrupt,
                                             const std::vector<std::string>& arguments,
                                             const std::function<std::string()>& input,
                                             const std::function<bool()>& is_over) {
  for (int attempt = 0; attempt < 2; ++attempt) {
    auto command = host.start(agent_command(delivery.setup(), arguments));
    if (!command) return tl::unexpected(command.error());
    AgentSession session(host, interrupt, std::move(*command));
    session.is_over_ = is_over;
    session.write(input());
    auto line = session.next_line();
    if (!line) return tl::unexpected(line.error());
    session.first_line_ = std::move(*line);
    const AgentMessage said = parse_agent_message(session.first_line_);
    const auto* lacks = std::get_if<message::LacksLapcast>(&said);
    if (lacks == nullptr) return session;
    if (auto sent = delivery.send_tool(lacks->architecture); !sent)
      return tl::unexpected(sent.error());
  }
  return tl::unexpected(keeps_nothing(host));
}

HostFailure AgentSession::ended() const {
  if (auto failure = host_->failure_of(command_)) return *failure;
  return {{fmt::format("lapcast cannot be run on {} (exit status {}): {}", host_->name(),
                       command_.status(), printable(command_.error(), 300))},
          false};
}

HostResult<std::string> AgentSession::next_line() {
  const MonotonicNs begin = monotonic_ns();
  MonotonicNs heard = begin;
  while (true) {
    while (auto line = lines_.next())
      if (!std::holds_alternative<message::SignOfLife>(parse_agent_message(*line)))
        return std::move(*line);
    if (lines_.is_too_long())
      return tl::unexpected(
          HostFailure{{host_->name() + " answers with a line that is too long"}, false});
    if (interrupt_->count() > 0 || (is_over_ && is_over_()))
      return tl::unexpected(HostFailure{{"interrupted"}, false});
    if (command_.ended()) return tl::unexpected(ended());
    const MonotonicNs now = monotonic_ns();
    if (from_ns(now - heard) > contact_patience() || from_ns(now - begin) > 2 * longest_contact())
      return tl::unexpected(is_silent(*host_));
    command_.wait(200ms, interrupt_->fd());
    const std::string said = command_.take_output();
    // Until its login is over the command itself sees to it that it does not take too long.
    if (!said.empty() || !command_.marker_seen()) heard = monotonic_ns();
    lines_.append(said);
  }
}

}  // namespace lapcast
