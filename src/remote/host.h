#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/seconds.h"
#include "machine/place.h"
#include "probe/interrupt.h"
#include "remote/command.h"
#include "remote/patience.h"

namespace lapcast {

/// Why a host did not do what it was asked to.
struct HostFailure {
  Reason reason;        // names the host, and the fix
  bool passes = false;  // trying again later may help: no route, a link that dropped, too slow
};
template <class T>
using HostResult = tl::expected<T, HostFailure>;

struct CommandOptions {
  std::string input = {};                // its stdin
  Seconds timeout = longest_contact();   // then it is ended, and that is the failure
  const Interrupt* interrupt = nullptr;  // a signal ends it; nullptr = none does
};

struct CommandOutput {
  int status = 0;  // exit status; 128 and the number of the signal that ended it
  std::string output;
  std::string error;  // the end of stderr
};

/// How rsync copies.
struct CopyOptions {
  Seconds timeout{24 * 3600.0};
  const Interrupt* interrupt = nullptr;
  std::function<void(std::string_view done)> on_progress = {};  // "12,345,678  45%  10.2MB/s  0:00:01"
};

/// Files that were not copied, as rsync names them; safe to print.
struct FilesNotCopied {
  std::vector<std::string> names;  // the first ones
  std::int64_t count = 0;          // of all
};

/// Where commands can be run and files can be brought: this machine or one reached by ssh. Nothing
/// here ever asks a question or waits without end. For one thread.
class Host {
 public:
  static constexpr std::size_t kMostOutput = 16 << 20;

  virtual ~Host() = default;
  /// "gpu-box", "this machine": for messages.
  virtual std::string name() const = 0;

  /// Runs a command to its end. Failure when the host cannot be reached, the time (from the end of
  /// the login on) is over, it prints more than kMostOutput or a signal came; a command that fails
  /// is a status. Its arguments arrive as they are.
  HostResult<CommandOutput> run(const std::vector<std::string>& arguments,
                                const CommandOptions& options = {}) const;
  /// The same, while it runs. failure_of() says what its end means.
  HostResult<RunningCommand> start(const std::vector<std::string>& arguments) const;
  /// None when the end of a command is its own; else why the host was not reached, or was lost.
  virtual std::optional<HostFailure> failure_of(const RunningCommand& ended) const = 0;

  /// Brings what changed of the given files, links and empty folders to a folder there, with rsync.
  /// `paths` are relative to `local`, an absolute path; they are the same below `remote`, which is
  /// absolute or relative to the home folder. Nothing else is sent: a folder is made, never read. A
  /// link that is in the way there is replaced, not followed. Returns how many bytes were sent.
  HostResult<std::int64_t> copy_to(const std::filesystem::path& local,
                                   const std::vector<std::string>& paths, const std::string& remote,
                                   const CopyOptions& options = {}) const;
  /// Brings what changed in the folder `remote` into the folder `local`, which keeps its own mode.
  /// Left there are links that are absolute or lead out of the folder, pipes, sockets and devices;
  /// set-user-id, set-group-id and sticky bits are taken off, and what group and others may write.
  HostResult<FilesNotCopied> copy_from(const std::string& remote, const std::filesystem::path& local,
                                   const CopyOptions& options = {}) const;

 protected:
  /// The arguments of a local program that runs that command there; a marker, when not empty, is
  /// printed on a line of its own just before the command begins.
  virtual std::vector<std::string> carrier(const std::vector<std::string>& arguments,
                                           const std::string& marker) const = 0;
  virtual bool needs_marker() const = 0;
  /// How rsync names a path there, and the arguments that tell it how to get there.
  virtual std::string rsync_path(const std::string& path) const = 0;
  virtual std::vector<std::string> rsync_options() const = 0;
  /// What an rsync that lost its other end printed, as a failure.
  virtual HostFailure lost_link(const std::string& standard_error) const = 0;

 private:
  /// Runs rsync with the arguments that both directions share; `take` is given what it prints.
  HostResult<void> copy(std::vector<std::string> own_arguments, const std::string& input,
                        const CopyOptions& options,
                        const std::function<void(const std::string&)>& take) const;
  HostFailure rsync_failure(const RunningCommand& rsync) const;
};

/// This machine; paths relative to the home folder here too.
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

/// A host of the user's own ssh config ($LAPCAST_SSH_CONFIG names another file than ssh's own). One
/// connection is shared by all lapcasts of this user and closes itself 30 s after its last use.
/// Never asks for a password, never takes an unknown or changed host key, never forwards an agent,
/// a display or a port, whatever the config says; what a login prints is skipped.
class SshHost : public Host {
 public:
  /// Error (bad input) for a name that is none: letters, digits and "._@-", not '-' first.
  explicit SshHost(std::string host);
  std::string name() const override { return host_; }
  std::optional<HostFailure> failure_of(const RunningCommand& ended) const override;

 protected:
  std::vector<std::string> carrier(const std::vector<std::string>& arguments,
                                   const std::string& marker) const override;
  bool needs_marker() const override { return true; }
  std::string rsync_path(const std::string& path) const override;
  std::vector<std::string> rsync_options() const override;
  HostFailure lost_link(const std::string& standard_error) const override;

 private:
  std::string host_;
};

/// The host through which a place is reached: itself, or the login node of its cluster.
std::unique_ptr<Host> host_of(const Place& place);

/// Whether that can be the name of an ssh host.
bool is_host_name(std::string_view name);

}  // namespace lapcast
