#include "remote/agent_session.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <variant>

#include "core/hash.h"
#include "core/units.h"
#include "posix/files.h"
#include "probe/ids_and_time.h"
#include "remote/patience.h"
#include "remote/received_files.h"
#include "remote/ssh.h"

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
    "case \"$(\"$t\" --version 2>/dev/null) \" in \"lapcast $v \"*) ;; *) t=;; esac; fi; "
    "if [ -x \"$t\" ]; then exec \"$t\" \"$@\"; fi; echo \"N tool $(uname -sm)\"";

/// Returns a hash over all bytes of this binary.
std::string own_hash() {
  ContentHash hash;
  hash.add(text_of_file("/proc/self/exe", std::size_t{1} << 30));
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
    // Until the login is over, the command itself limits how long it takes.
    if (!said.empty() || !command_.marker_seen()) heard = monotonic_ns();
    lines_.append(said);
  }
}

// Delivery ----------------------------------------------------------------------------------------

namespace {

// Takes the tool's name as $1 and its size as $2, since a link that broke looks like the end of the
// input. Keeps a tool that arrived meanwhile, which may be running, and removes tools not used for
// a month.
constexpr const char* kReceiveTool =
    "umask 077 && mkdir -p bin && cat >bin/.$1.$$ && [ $(wc -c <bin/.$1.$$) -eq $2 ] && "
    "chmod 700 bin/.$1.$$ && { ln bin/.$1.$$ bin/$1 2>/dev/null || [ -x bin/$1 ] || "
    "mv -f bin/.$1.$$ bin/$1; } || { rm -f bin/.$1.$$; exit 1; }; rm -f bin/.$1.$$; "
    "find bin -name \"lapcast-*\" -mtime +30 -exec rm -f {} +";

constexpr std::size_t kPieceOfTool = 1 << 18;  // bytes that are in memory at once
constexpr Seconds kListPatience{600};          // for a long list over a slow link

HostFailure failed_on(const Host& host, const std::string& what, const CommandOutput& output) {
  if (says_full_disk(output.error)) return {{full_disk_of(host.name(), output.error)}, false};
  return {{fmt::format("{} on {} failed with exit status {}: {}", what, host.name(), output.status,
                       printable(output.error, 300))},
          false};
}

HostFailure other_architecture(const Host& host, const PlaceSetup& setup,
                               const std::string& architecture) {
  return {
      {fmt::format(
          "{} is {}, and this lapcast runs on {} only: build lapcast {} on such a machine and put "
          "the binary on it as {}/bin/lapcast, or on its PATH",
          host.name(), printable(architecture, 60), tool_architecture(), LAPCAST_VERSION,
          setup.folder.empty() ? "~/.cache/lapcast" : setup.folder)},
      false};
}

/// Waits until no other lapcast of this machine sends, and says that it waits.
void wait_for(FileLock& lock, const Interrupt& interrupt, const RemoteProgress& tell,
              const std::string& host) {
  while (!lock.is_held() && interrupt.count() == 0) {
    tell(fmt::format("waiting: another lapcast sends to {}", host));
    for (int i = 0; i < 10 && interrupt.count() == 0 && !lock.try_again(); ++i) usleep(50'000);
  }
}

/// Returns the path of this machine's lock for sending to a host; empty without a private folder.
std::string delivery_lock_file(const Host& host, const PlaceSetup& setup, const std::string& what) {
  const std::string folder = socket_folder();
  ContentHash hash;
  for (const std::string& part : {host.name(), setup.folder, what}) hash.add(part);
  return folder.empty() ? "" : folder + "/send-" + hash.hex();
}

}  // namespace

HostFailure keeps_nothing(const Host& host) {
  return {{fmt::format("{} does not keep what was sent to it; is the disk full?", host.name())},
          false};
}

HostResult<CommandOutput> Delivery::run(const std::string& what,
                                        const std::vector<std::string>& command,
                                        CommandOptions options) const {
  options.interrupt = &interrupt_;
  auto done = host_.run(command, options);
  if (done && done->status != 0) return tl::unexpected(failed_on(host_, what, *done));
  return done;
}

CopyOptions Delivery::copy_options(const std::string& what) const {
  CopyOptions options;
  options.interrupt = &interrupt_;
  options.on_progress = [this, what](std::string_view done) {
    tell_(fmt::format("sending {} to {}: {}", what, host_.name(), done));
  };
  return options;
}

HostResult<void> Delivery::send_tool(const std::string& architecture) {
  if (architecture != tool_architecture())
    return tl::unexpected(other_architecture(host_, setup_, architecture));
  const MonotonicNs begin = monotonic_ns();
  const FileDescriptor binary(open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  struct stat info {};
  if (!binary.is_open() || fstat(binary.get(), &info) != 0)
    return tl::unexpected(HostFailure{{"lapcast cannot read its own binary"}, false});
  const std::int64_t bytes = info.st_size;
  CommandOptions options;
  options.more_input = [&, at = off_t{0}]() mutable {
    std::string piece(kPieceOfTool, '\0');
    const ssize_t got = pread(binary.get(), piece.data(), piece.size(), at);
    piece.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    at += std::ssize(piece);
    return piece;
  };
  options.timeout = Seconds{1800};
  tell_(fmt::format("sending lapcast ({}) to {}", format_bytes(bytes), host_.name()));
  return run("writing lapcast",
             in_agent_folder(setup_, kReceiveTool, {tool_name(), std::to_string(bytes)}), options)
      .map([&](const CommandOutput&) {
        steps_.push_back({"send lapcast", from_ns(monotonic_ns() - begin), bytes});
      });
}

HostResult<void> Delivery::make_folder(const std::string& path) {
  return run("making a folder", in_agent_folder(setup_, "umask 077 && mkdir -p -- \"$1\"", {path}))
      .map([](const CommandOutput&) {});
}

HostResult<bool> Delivery::make_folder_ready(const ProgramFiles& files) {
  const auto ready = run(
      "making the program's folder ready",
      agent_command(setup_, agent_arguments({AgentTask::Kind::make_ready, "work/" + files.name})),
      {.input = received_list(files), .timeout = kListPatience});
  if (!ready) return tl::unexpected(ready.error());
  const bool first = ready->output == kFirstSending;
  if (!first && ready->output != kSentBefore) return tl::unexpected(keeps_nothing(host_));
  return first;
}

HostResult<void> Delivery::send_list(const FileList& list, const std::string& folder,
                                     const std::string& what, const std::string& step) {
  const MonotonicNs begin = monotonic_ns();
  tell_(fmt::format("sending {} ({} files, {}) to {}", printable(what), list.files.size(),
                    format_bytes(list.bytes), host_.name()));
  std::vector<std::string> paths;
  for (const ListedFile& file : list.files) paths.push_back(file.path);
  return host_.copy_to(list.folder, paths, folder, copy_options(what)).map([&](std::int64_t bytes) {
    steps_.push_back({step, from_ns(monotonic_ns() - begin), bytes});
  });
}

HostResult<void> Delivery::send_program(const ProgramFiles& files) {
  const std::string lock_file = delivery_lock_file(host_, setup_, files.name);
  FileLock lock(lock_file);
  if (!lock_file.empty()) wait_for(lock, interrupt_, tell_, host_.name());
  const auto first = make_folder_ready(files);
  if (!first) return tl::unexpected(first.error());
  const std::string work_dir = agent_folder(setup_) + "/work/" + files.name;
  if (auto sent = send_list(files.program, work_dir, "the program", "send program"); !sent)
    return sent;
  for (const SentData& set : files.data) {
    const bool absolute = set.path.starts_with('/');
    const std::string folder = absolute ? set.list.folder.string() : work_dir;
    if (absolute)
      if (auto made = make_folder(folder); !made) return made;
    if (auto sent = send_list(set.list, folder, set.path, "send data"); !sent) return sent;
  }
  const auto noted =
      run("noting what was sent",
          agent_command(setup_, agent_arguments({AgentTask::Kind::received, "work/" + files.name})),
          {.input = files.content});
  if (!noted) return tl::unexpected(noted.error());
  const std::string warning = unsent_warning(files);
  if (*first && !warning.empty()) warnings_.push_back(warning);
  return {};
}

}  // namespace lapcast
