#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/seconds.h"
#include "machine/place.h"
#include "probe/interrupt.h"
#include "remote/command.h"
#include "remote/patience.h"

namespace lapcast {

struct HostFailure {
  Reason reason;        // names the host, and the fix
  bool passes = false;  // trying again later may help: no route, a link that dropped, too slow
};
template <class T>
using HostResult = tl::expected<T, HostFailure>;

struct CommandOptions {
  std::string input = {};  // its stdin
  /// Returns what follows the input, piece by piece; empty = nothing.
  std::function<std::string()> more_input = {};
  Seconds timeout = longest_contact();   // a command that takes longer is ended, and has failed
  const Interrupt* interrupt = nullptr;  // a signal ends it; nullptr = none does
};

struct CommandOutput {
  int status = 0;  // exit status; 128 and the number of the signal that ended it
  std::string output;
  std::string error;  // the end of stderr
};

/// Says how rsync copies.
struct CopyOptions {
  Seconds timeout{24 * 3600.0};
  const Interrupt* interrupt = nullptr;
  /// Is called with lines such as "12345678  45%  10.2MB/s  0:00:01".
  std::function<void(std::string_view done)> on_progress = {};
  bool by_checksum = false;    // compares contents, not just size and time
  bool follows_links = false;  // sends the files that links lead to
  /// Is called at least 50 times a second, for other work; empty = there is none.
  std::function<void()> meanwhile = {};
  /// Names what to copy from a machine, by paths that may be gone meanwhile; empty = all.
  std::vector<std::string> only = {};
};

/// Names files by paths relative to an absolute folder.
struct FolderPaths {
  std::filesystem::path folder;
  std::vector<std::string> paths;
};

/// Names files that were not copied, as rsync does; the names are safe to print.
struct FilesNotCopied {
  std::vector<std::string> names;  // the first ones
  std::int64_t count = 0;          // of all
};

/// Says what came of a copy from a machine.
struct FetchedFiles {
  FilesNotCopied left;
  std::int64_t bytes = 0;  // that came over the link
};

/// Runs commands on a machine and copies files to it and from it: this machine, or one reached by
/// ssh. No call asks the user a question or waits without end. Use it from one thread.
class Host {
 public:
  static constexpr std::size_t kMostOutput = 16 << 20;

  virtual ~Host() = default;
  /// Returns the name for messages: "gpu-box", "this machine".
  virtual std::string name() const = 0;

  /// Runs a command to its end, with its arguments as they are. Fails if the host cannot be
  /// reached, if the command takes longer than the timeout after the login or prints more than
  /// kMostOutput, or if a signal came. A command that fails itself returns a status.
  HostResult<CommandOutput> run(const std::vector<std::string>& arguments,
                                const CommandOptions& options = {}) const;
  /// Starts a command and returns while it runs. failure_of() says what its end means.
  HostResult<RunningCommand> start(const std::vector<std::string>& arguments) const;
  /// Returns why the host was not reached, or was lost; none when the command ended by itself.
  virtual std::optional<HostFailure> failure_of(const RunningCommand& ended) const = 0;

  /// Copies what changed of the given files, links and empty folders to a folder of the host, by
  /// rsync. `paths` are relative to `local`, an absolute path; they are the same below `remote`,
  /// which is absolute or relative to the home folder. Nothing else is sent: a folder is created,
  /// never read. A remote link that is in the way is replaced, not followed. Returns how many bytes
  /// were sent.
  HostResult<std::int64_t> copy_to(const std::filesystem::path& local,
                                   const std::vector<std::string>& paths, const std::string& remote,
                                   const CopyOptions& options = {}) const {
    return copy_to({{local, paths}}, remote, options);
  }
  /// Does the same from several folders into one; no two files may have the same path.
  HostResult<std::int64_t> copy_to(const std::vector<FolderPaths>& files, const std::string& remote,
                                   const CopyOptions& options = {}) const;
  /// Copies what changed in the folder `remote` into the folder `local`, which keeps its own mode.
  /// Leaves out links that are absolute or lead out of the folder, pipes, sockets and devices;
  /// removes set-user-id, set-group-id and sticky bits and the write permissions of group and
  /// others.
  HostResult<FetchedFiles> copy_from(const std::string& remote, const std::filesystem::path& local,
                                     const CopyOptions& options = {}) const;

 protected:
  /// Returns the arguments of a local program that runs that command on the host. A marker, when
  /// not empty, is printed on a line of its own just before the command begins.
  virtual std::vector<std::string> carrier(const std::vector<std::string>& arguments,
                                           const std::string& marker) const = 0;
  virtual bool needs_marker() const = 0;
  /// Returns how rsync names a path of the host; rsync_options() tells it how to reach the host.
  virtual std::string rsync_path(const std::string& path) const = 0;
  virtual std::vector<std::string> rsync_options() const = 0;
  /// Returns the failure of an rsync that lost its connection to the host, explained by its stderr.
  virtual HostFailure lost_link(const std::string& standard_error) const = 0;

 private:
  /// Runs rsync with the arguments that both directions share; `take` is given what it prints.
  HostResult<void> copy(std::vector<std::string> own_arguments, const std::string& input,
                        const CopyOptions& options,
                        const std::function<void(const std::string&)>& take) const;
  HostFailure rsync_failure(const RunningCommand& rsync) const;
};

/// Stands for this machine; paths are relative to the home folder, as on other hosts.
class LocalHost : public Host {
 public:
  std::string name() const override { return "this machine"; }
  std::optional<HostFailure> failure_of(const RunningCommand&) const override { return {}; }

 protected:
  std::vector<std::string> carrier(const std::vector<std::string>& arguments,
                                   const std::string&) const override {
    return arguments;
  }
  bool needs_marker() const override { return false; }
  std::string rsync_path(const std::string& path) const override;
  std::vector<std::string> rsync_options() const override { return {}; }
  HostFailure lost_link(const std::string& standard_error) const override;
};

/// Reaches a host of the user's own ssh config ($LAPCAST_SSH_CONFIG names another file than ssh's
/// own), or of the config that its place names. All lapcasts of this user share one connection,
/// which closes itself 30 s after its last use. It never asks for a password, accepts an unknown or
/// changed host key, or forwards an agent, a display or a port, whatever the config says. What a
/// login prints is skipped.
class SshHost : public Host {
 public:
  /// Throws Error (bad input) for an invalid name. Valid are letters, digits and "._@-", not '-'
  /// first.
  explicit SshHost(SshPlace place);
  explicit SshHost(std::string host) : SshHost(SshPlace{std::move(host)}) {}
  std::string name() const override { return place_.host; }
  std::optional<HostFailure> failure_of(const RunningCommand& ended) const override;

 protected:
  std::vector<std::string> carrier(const std::vector<std::string>& arguments,
                                   const std::string& marker) const override;
  bool needs_marker() const override { return true; }
  std::string rsync_path(const std::string& path) const override;
  std::vector<std::string> rsync_options() const override;
  HostFailure lost_link(const std::string& standard_error) const override;

 private:
  SshPlace place_;
};

/// Returns the host through which a place is reached: itself, or the login node of its cluster.
/// Throws Error (usage) for a machine that is still to be rented.
std::unique_ptr<Host> host_of(const Place& place);

/// Returns whether an error of a command says that a disk is full, or a quota used up.
bool says_full_disk(std::string_view error);
/// Returns the message for such an error, with the line that says it, which may name the file.
std::string full_disk_of(const std::string& host, std::string_view error);

/// Returns whether the text is a valid name of an ssh host.
bool is_host_name(std::string_view name);

}  // namespace lapcast
