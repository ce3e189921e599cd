#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include "core/error.h"
#include "remote/agent_protocol.h"
#include "remote/agent_session.h"
#include "remote/remote_news.h"

namespace lapcast {

/// Handles a run on a remote machine for its coordinator. The run goes on when this object, its
/// process or the link ends; another object for the same request finds it again. Call begin(), then
/// follow() until the run ended or is lost, then, once its result is stored, remove().
class RemoteRun {
 public:
  virtual ~RemoteRun() = default;

  /// Returns whether the folder of the run exists on its machine, which means that the run was
  /// begun. The Reason says why the machine cannot be asked.
  virtual Result<bool> exists() = 0;
  /// Sends what is needed and starts the run. Sends nothing when the run was begun before; follow()
  /// then returns all its messages from the first on. The Reason names the host and the fix.
  virtual Result<void> begin(const RemoteProgress& tell) = 0;
  /// Returns what came since the last call, after waiting for at most `at_most`. Keeps trying to
  /// restore a broken link; the run counts as lost after kLostAfter without one.
  virtual RemoteNews follow(std::chrono::milliseconds at_most) = 0;
  /// Passes on an order: "stop" (end the program in order), "kill" (at once) and those of later
  /// versions. The Reason says that it did not arrive; it may then be given again.
  virtual Result<void> order(const std::string& what) = 0;
  /// Removes what the run left on its machine, its own folder only. The Reason says that the folder
  /// is still there.
  virtual Result<void> remove() = 0;
  /// Copies what the program wrote into its run folder to `local`, while it runs or afterwards.
  /// Host::copy_from() says what is not copied.
  virtual Result<FetchedFiles> fetch(const std::filesystem::path& local) = 0;
  /// Returns the shell command that ends the run when it is typed on its host.
  virtual std::string end_command() const = 0;
};

/// Ends a run that nobody wants any more, and removes it once its agent, which takes orders in its
/// folder, has ended it, or has not for ten seconds. The Reason says that its folder is still
/// there.
Result<void> end_and_remove(RemoteRun& run);

}  // namespace lapcast
