#include "remote/host.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <utility>
#include <variant>

#include "core/error.h"
#include "core/units.h"
#include "machine/proc_text.h"
#include "posix/spawn.h"
#include "probe/ids_and_time.h"
#include "remote/agent_protocol.h"
#include "remote/ssh.h"
#include "run/text_bytes.h"

namespace lapcast {
namespace {

using namespace std::chrono_literals;

constexpr int kSshFailed = 255;
constexpr std::size_t kMostRsyncLine = 64 << 10;  // bytes: a path of 4096 with escapes, and words
constexpr std::int64_t kMostNamesNotCopied = 5;   // of files that were not copied

HostFailure prints_too_much(const Host& host) {
  return {{fmt::format("{} answers without end", host.name())}, false};
}

/// Waits until a command has ended, its time is over or a signal came. `take` is given what it
/// prints, and returns false when that is too much.
template <class Take>
std::optional<HostFailure> wait_for_end(const Host& host, RunningCommand& command, Seconds timeout,
                                        const Interrupt* interrupt, Take take,
                                        const std::function<void()>& meanwhile = {}) {
  MonotonicNs begin = monotonic_ns();
  const int wake_fd = interrupt != nullptr ? interrupt->fd() : -1;
  while (!command.ended()) {
    if (!command.marker_seen()) begin = monotonic_ns();  // the login has a limit of its own
    command.wait(meanwhile ? 10ms : 1000ms, wake_fd);
    if (meanwhile) meanwhile();
    if (!take(command.take_output())) return prints_too_much(host);
    if (interrupt != nullptr && interrupt->count() > 0)
      return HostFailure{{fmt::format("interrupted while working on {}", host.name())}, false};
    if (from_ns(monotonic_ns() - begin) > timeout && !command.ended())
      return HostFailure{
          {fmt::format("{} did not answer within {}", host.name(), format_duration(timeout))},
          true};
  }
  if (!take(command.take_output())) return prints_too_much(host);
  return std::nullopt;
}

/// Quotes a word of --rsh as rsync reads it.
std::string rsync_word(const std::string& text) {
  std::string word = "\"";
  for (const char c : text) word.append(c == '"' ? 2 : 1, c);
  return word + "\"";
}

/// Returns the number after a label in rsync's --info=stats2; 0 when it is absent.
std::int64_t number_behind(std::string_view text, std::string_view label) {
  const std::size_t at = text.rfind(label);
  std::int64_t number = 0;
  if (at == std::string_view::npos) return number;
  const char* begin = text.data() + at + label.size();
  std::from_chars(begin, text.data() + text.size(), number);
  return number;
}

/// Picks the files that rsync did not copy, and the bytes that came, from the lines that it prints.
void take_fetched(LineBuffer& lines, FetchedFiles& found) {
  constexpr std::string_view kReceived = "Total bytes received: ";
  while (const auto line = lines.next()) {
    if (line->starts_with(kReceived)) found.bytes = number_behind(*line, kReceived);
    for (const std::string_view words :
         {"ignoring unsafe symlink ", "skipping non-regular file "}) {
      if (!line->starts_with(words)) continue;
      if (++found.left.count <= kMostNamesNotCopied)
        found.left.names.push_back(printable(line->substr(words.size()), 200));
    }
  }
}

/// Returns whether a status of rsync means that its other end is gone: socket, protocol stream,
/// time-outs, no ssh.
bool lost_other_end(int status) {
  return status == 10 || status == 12 || status == 30 || status == 35 || status == kSshFailed;
}

/// Returns what rsync's message means and how to fix it; empty for an unknown one.
std::string known_rsync_trouble(const std::string& host, const std::string& error) {
  const auto says = [&](std::string_view text) { return error.find(text) != std::string::npos; };
  if (says("rsync: not found") || says("rsync: command not found") || says("rsync: No such file"))
    return fmt::format("{} lacks rsync; install it, such as with: sudo apt install rsync", host);
  return says_full_disk(error) ? full_disk_of(host, error) : "";
}

std::string last_progress(std::string_view text) {
  const std::size_t end = text.find_last_not_of(" \r\n");
  if (end == std::string_view::npos) return "";
  text = text.substr(0, end + 1);
  const std::size_t begin = text.find_last_of("\r\n");
  text = begin == std::string_view::npos ? text : text.substr(begin + 1);
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return text.find('%') == std::string_view::npos ? "" : std::string(text);
}

std::string local_path(const std::string& path) {
  const char* home = std::getenv("HOME");
  return path.starts_with('/') || home == nullptr ? path : std::string(home) + "/" + path;
}

}  // namespace

bool says_full_disk(std::string_view error) {
  return error.find("No space left on device") != error.npos ||
         error.find("Disk quota exceeded") != error.npos;
}

std::string full_disk_of(const std::string& host, std::string_view error) {
  std::string what;
  for (const std::string_view line : split(error, '\n'))
    if (what.empty() && says_full_disk(line)) what = printable(line, 300);
  return fmt::format(
      "the disk of {} is full; free some space on it, or name another place with "
      "folder = \"...\" in the fleet file ({})",
      host, what);
}

// Commands ----------------------------------------------------------------------------------------

HostResult<RunningCommand> Host::start(const std::vector<std::string>& arguments) const {
  const std::string marker = needs_marker() ? "lapcast-" + new_id() : "";
  auto command = RunningCommand::start(carrier(arguments, marker), marker);
  if (!command) return tl::unexpected(HostFailure{command.error(), false});
  return std::move(*command);
}

HostResult<CommandOutput> Host::run(const std::vector<std::string>& arguments,
                                    const CommandOptions& options) const {
  auto command = start(arguments);
  if (!command) return tl::unexpected(command.error());
  command->write(options.input);
  if (options.more_input) command->write_pieces(options.more_input);
  command->close_input();
  CommandOutput result;
  const auto failure = wait_for_end(*this, *command, options.timeout, options.interrupt,
                                    [&](const std::string& text) {
                                      result.output += text;
                                      return result.output.size() <= kMostOutput;
                                    });
  if (failure) return tl::unexpected(*failure);
  if (const auto lost = failure_of(*command)) return tl::unexpected(*lost);
  result.status = command->status();
  result.error = command->error();
  return result;
}

// Files -------------------------------------------------------------------------------------------

HostResult<std::int64_t> Host::copy_to(const std::vector<FolderPaths>& files,
                                       const std::string& remote,
                                       const CopyOptions& options) const {
  // Paths are absolute, with "/./" before the part that is kept: rsync takes lines of the list that
  // begin with '#' or ';' as comments, and "./" would give the remote folder the mode of the local
  // one.
  std::string list;
  for (const FolderPaths& some : files)
    for (const std::string& path : some.paths)
      list.append((some.folder / "").string()).append("./").append(path).append(1, '\0');
  if (list.empty()) return 0;
  std::string said;
  // With --recursive a folder of the list would be sent with all that lies in it.
  std::vector<std::string> arguments{"--from0", "--files-from=-", "--partial-dir=.lapcast-partial",
                                     "--info=stats2,progress2"};
  if (options.by_checksum) arguments.emplace_back("--checksum");
  if (options.follows_links) arguments.emplace_back("--copy-links");
  arguments.insert(arguments.end(), {"--", "/", rsync_path(remote + "/")});
  const auto done = copy(arguments, list, options, [&](const std::string& text) {
    said += text;
    if (said.size() > 16384) said.erase(0, said.size() - 8192);
    const std::string progress = last_progress(text);
    if (options.on_progress && !progress.empty()) options.on_progress(progress);
  });
  if (!done) return tl::unexpected(done.error());
  return number_behind(said, "Total bytes sent: ");
}

HostResult<FetchedFiles> Host::copy_from(const std::string& remote,
                                         const std::filesystem::path& local,
                                         const CopyOptions& options) const {
  struct stat before {};
  const bool has_mode = stat(local.c_str(), &before) == 0;
  LineBuffer lines(kMostRsyncLine);
  FetchedFiles fetched;
  // The remote machine may be hostile, so the rsync of this one filters what comes.
  std::vector<std::string> arguments{"--recursive",
                                     "--no-inc-recursive",
                                     "--safe-links",
                                     "--no-devices",
                                     "--no-specials",
                                     "--chmod=ug-s,o-t,go-w,u+r,Du+wx",
                                     "--partial-dir=.lapcast-partial",
                                     "--info=name1,symsafe1,nonreg1,stats2"};
  std::string list;  // "./" keeps a name that begins with '#' from being a comment
  for (const std::string& path : options.only) list.append("./").append(path).append(1, '\0');
  if (!list.empty())
    arguments.insert(arguments.end(), {"--from0", "--files-from=-", "--ignore-missing-args"});
  arguments.insert(arguments.end(), {"--", rsync_path(remote + "/"), (local / "").string()});
  const auto done = copy(std::move(arguments), list, options, [&](const std::string& text) {
    lines.append(text);
    take_fetched(lines, fetched);
  });
  if (has_mode) chmod(local.c_str(), before.st_mode & 07777);
  if (!done) return tl::unexpected(done.error());
  return fetched;
}

HostResult<void> Host::copy(std::vector<std::string> own_arguments, const std::string& input,
                            const CopyOptions& options,
                            const std::function<void(const std::string&)>& take) const {
  std::vector<std::string> arguments{"rsync",
                                     "--links",
                                     "--perms",
                                     "--times",
                                     "--protect-args",
                                     "--timeout=60",
                                     "--no-human-readable"};
  for (std::string& option : rsync_options()) arguments.push_back(std::move(option));
  arguments.insert(arguments.end(), own_arguments.begin(), own_arguments.end());
  auto rsync = RunningCommand::start(arguments);
  if (!rsync)
    return tl::unexpected(HostFailure{
        {find_program("rsync")
             ? "rsync cannot be started: " + rsync.error().text
             : "this machine lacks rsync; install it, such as with: sudo apt install rsync"},
        false});
  rsync->write(input);
  rsync->close_input();
  const auto take_all = [&](const std::string& text) {
    take(text);
    return true;
  };
  if (const auto failure = wait_for_end(*this, *rsync, options.timeout, options.interrupt, take_all,
                                        options.meanwhile))
    return tl::unexpected(*failure);
  if (rsync->status() != 0) return tl::unexpected(rsync_failure(*rsync));
  return {};
}

HostFailure Host::rsync_failure(const RunningCommand& rsync) const {
  const std::string known = known_rsync_trouble(name(), rsync.error());
  if (!known.empty()) return {{known}, false};
  if (lost_other_end(rsync.status())) return lost_link(rsync.error());
  return {{fmt::format("rsync with {} failed with exit status {}: {}", name(), rsync.status(),
                       printable(last_lines(rsync.error(), 2), 400))},
          false};
}

std::string LocalHost::rsync_path(const std::string& path) const {
  return local_path(path);
}

HostFailure LocalHost::lost_link(const std::string& standard_error) const {
  return {{"rsync failed: " + printable(last_lines(standard_error, 1), 300)}, false};
}

// ssh ---------------------------------------------------------------------------------------------

bool is_host_name(std::string_view name) {
  return !name.empty() && name.size() <= 255 && name.front() != '-' &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                  std::string_view("._@-").find(c) != std::string_view::npos;
         });
}

SshHost::SshHost(SshPlace place) : place_(std::move(place)) {
  if (!is_host_name(place_.host))
    throw Error(
        ExitCode::bad_input,
        fmt::format("'{}' is not the name of an ssh host: letters, digits and . _ @ - only; give "
                    "it a Host entry in the ssh config",
                    printable(place_.host)));
}

std::vector<std::string> SshHost::carrier(const std::vector<std::string>& arguments,
                                          const std::string& marker) const {
  return ssh_command(place_, arguments, marker);
}

std::optional<HostFailure> SshHost::failure_of(const RunningCommand& ended) const {
  if (ended.no_contact() == RunningCommand::NoContact::silent)
    return HostFailure{{does_not_answer(place_.host)}, true};
  if (ended.no_contact() == RunningCommand::NoContact::flood)
    return HostFailure{{fmt::format("the login of {} prints without end; try: ssh {} true",
                                    place_.host, place_.host)},
                       false};
  if (ended.status() == kSshFailed) return lost_link(ended.error());
  if (ended.marker_seen()) return std::nullopt;
  const std::string last = printable(last_lines(ended.error(), 1), 300);
  return HostFailure{
      {fmt::format("the login of {} ends before it runs a command{}{}", place_.host,
                   last.empty() ? "; try: ssh " + place_.host + " true" : ": ", last)},
      false};
}

HostFailure SshHost::lost_link(const std::string& standard_error) const {
  const SshTrouble trouble = explain_ssh(place_.host, standard_error);
  return {{trouble.text}, trouble.passes};
}

std::string SshHost::rsync_path(const std::string& path) const {
  return place_.host + ":" + path;
}

std::vector<std::string> SshHost::rsync_options() const {
  std::string shell = "--rsh=" + rsync_word(own_binary().string()) + " ssh-relay";
  for (const std::string& word : relay_words(place_)) shell += " " + rsync_word(word);
  return {shell};
}

std::unique_ptr<Host> host_of(const Place& place) {
  if (const auto* ssh = std::get_if<SshPlace>(&place)) return std::make_unique<SshHost>(*ssh);
  if (const auto* slurm = std::get_if<SlurmPlace>(&place);
      slurm != nullptr && !slurm->login.empty())
    return std::make_unique<SshHost>(SshPlace{slurm->login});
  if (is_to_rent(place))
    throw Error(ExitCode::usage, fmt::format("{} has to be rented first, which only sweep, verify, "
                                             "probe and offload do",
                                             describe(place)));
  return std::make_unique<LocalHost>();
}

}  // namespace lapcast
