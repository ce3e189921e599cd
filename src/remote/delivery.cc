#include "remote/delivery.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>

#include "core/hash.h"
#include "core/units.h"
#include "posix/private_files.h"
#include "probe/clock.h"
#include "remote/agent_session.h"
#include "remote/received_files.h"
#include "remote/ssh.h"

namespace lapcast {
namespace {

// Takes the tool's name as $1 and its size as $2, since a link that broke looks like the end of the
// input. Keeps a tool that came meanwhile, which may be running, and removes what was not used for
// a month.
constexpr const char* kReceiveTool =
    "umask 077 && mkdir -p bin && cat >bin/.$1.$$ && [ $(wc -c <bin/.$1.$$) -eq $2 ] && "
    "chmod 700 bin/.$1.$$ && { ln bin/.$1.$$ bin/$1 2>/dev/null || [ -x bin/$1 ] || "
    "mv -f bin/.$1.$$ bin/$1; } || { rm -f bin/.$1.$$; exit 1; }; rm -f bin/.$1.$$; "
    "find bin -name \"lapcast-*\" -mtime +30 -exec rm -f {} +";

constexpr Seconds kListPatience{600};  // for a long list over a slow link

HostFailure failed_on(const Host& host, const std::string& what, const CommandOutput& output) {
  const bool full = output.error.find("No space left on device") != std::string::npos ||
                    output.error.find("Disk quota exceeded") != std::string::npos;
  if (full)
    return {
        {fmt::format("the disk of {} is full; free some space on it, or name another place with "
                     "folder = \"...\" in the fleet file",
                     host.name())},
        false};
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

/// Waits until no other lapcast of this machine sends, and says so.
void wait_for(FileLock& lock, const Interrupt& interrupt, const RemoteProgress& tell,
              const std::string& host) {
  while (!lock.is_held() && interrupt.count() == 0) {
    tell(fmt::format("waiting: another lapcast sends to {}", host));
    for (int i = 0; i < 10 && interrupt.count() == 0 && !lock.try_again(); ++i) usleep(50'000);
  }
}

/// Returns the path of a lock of this machine for sending to a host; empty where no private folder
/// is.
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
  CommandOptions options;
  options.input = read_private_file("/proc/self/exe", std::size_t{1} << 30);
  options.timeout = Seconds{1800};
  const auto bytes = static_cast<std::int64_t>(options.input.size());
  tell_(fmt::format("sending lapcast ({}) to {}", format_bytes(bytes), host_.name()));
  const auto sent =
      run("writing lapcast",
          in_agent_folder(setup_, kReceiveTool, {tool_name(), std::to_string(bytes)}), options);
  if (!sent) return tl::unexpected(sent.error());
  steps_.push_back({"send lapcast", from_ns(monotonic_ns() - begin), bytes});
  return {};
}

HostResult<void> Delivery::make_folder(const std::string& path) {
  const auto made =
      run("making a folder", in_agent_folder(setup_, "umask 077 && mkdir -p -- \"$1\"", {path}));
  if (!made) return tl::unexpected(made.error());
  return {};
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
  const auto bytes = host_.copy_to(list.folder, paths, folder, copy_options(what));
  if (!bytes) return tl::unexpected(bytes.error());
  steps_.push_back({step, from_ns(monotonic_ns() - begin), *bytes});
  return {};
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
