#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "probe/interrupt.h"
#include "probe/request.h"
#include "remote/remote_run.h"

namespace lapcast {

/// Describes a checkpoint that came home.
struct SavedCheckpoint {
  std::string name;      // its path below the folder
  double written_s = 0;  // by the clock of its machine, in seconds since 1970
  friend bool operator==(const SavedCheckpoint&, const SavedCheckpoint&) = default;
};

/// Keeps at home what a training wrote into its run folder, while it goes from one machine to
/// another.
class SessionFolder {
 public:
  /// The folder is created with mode 0700 when something comes. `pattern` is that of the names of
  /// checkpoints.
  SessionFolder(std::filesystem::path path, std::string pattern)
      : path_(std::move(path)), pattern_(std::move(pattern)) {}
  const std::filesystem::path& path() const { return path_; }

  std::optional<SavedCheckpoint> newest_checkpoint() const;
  /// Copies what a run has written so far.
  Result<FetchedFiles> bring(RemoteRun& run) const;
  /// Sends all files to the machine of a request, to each node of several hosts, where its run
  /// begins with them. Sends nothing when the run was begun before. `interrupt` ends the sending;
  /// null = nothing does.
  Result<void> send_to(const ProbeRequest& request, const Interrupt* interrupt,
                       const RemoteProgress& tell) const;

 private:
  Result<void> send(const std::vector<std::string>& files, const ProbeRequest& request,
                    const Interrupt* interrupt, const RemoteProgress& tell) const;

  std::filesystem::path path_;
  std::string pattern_;
};

}  // namespace lapcast
