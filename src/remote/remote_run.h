#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "probe/interrupt.h"
#include "remote/host.h"
#include "remote/remote_request.h"

namespace lapcast {

/// Told what goes on before a program starts elsewhere: "sending 12 MiB to gpu-box: 45 %".
using RemoteProgress = std::function<void(const std::string& what)>;

/// A run on a machine elsewhere, seen from the one that coordinates. The run goes on when this
/// object, its process or the link ends; another object for the same request finds it again. Used
/// as: begin(), follow() until it ended or is lost, then, once its result is stored, remove().
class RemoteRun {
 public:
  struct News {
    std::vector<std::string> lines = {};  // whole lines of probe_lines.h, without line breaks
    std::string note = {};                // what there is to say besides; empty = nothing new
    bool ended = false;                   // its result is among the lines so far
    std::optional<Reason> lost = {};      // there will never be a result
  };

  virtual ~RemoteRun() = default;

  /// Brings what is needed and starts the run, unless it was begun before: then nothing is sent,
  /// and follow() gives all its lines from the first on. The reason names the host and the fix.
  virtual Result<void> begin(const RemoteProgress& tell) = 0;
  /// What came since the last call, waiting for something for at most that long. A link that drops
  /// is made again and again; only after `patience` without it the run counts as lost.
  virtual News follow(std::chrono::milliseconds at_most) = 0;
  /// Passes on an order: "stop" (end the program in order), "kill" (at once) and those of later
  /// versions. The reason when it did not arrive; then it may be given again.
  virtual Result<void> order(const std::string& what) = 0;
  /// Removes what the run left there, its own folder only. The reason when it is still there.
  virtual Result<void> remove() = 0;
  /// Brings what the program wrote into its run folder into `local`, whether it still runs or not;
  /// what is not brought is as Host::copy_from() says.
  virtual Result<FilesNotCopied> fetch(const std::filesystem::path& local) = 0;

  /// How long a machine may be out of reach before its run counts as lost.
  static constexpr std::chrono::minutes kPatience{10};
};

/// The run of a request on its site. An interrupt ends begin() and cuts short the waiting of
/// follow(); it never reaches the program: that is what order() is for.
std::unique_ptr<RemoteRun> remote_run(const ProbeRequest& request, const Interrupt& interrupt);

}  // namespace lapcast
