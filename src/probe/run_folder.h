#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/seconds.h"
#include "probe/request.h"
#include "run/run.h"

namespace lapcast {

/// Owns the private folder (mode 0700) of a run: an empty `run` for the program's own files and
/// `laps` for its lap logs. The destructor removes it with all that is in it, unless keep() was
/// called.
class RunFolder {
 public:
  /// Makes the folder below `parent`, or below $TMPDIR or /tmp when that is empty. The folder
  /// `inherited` of an earlier attempt becomes its `run`; if that is empty or cannot be moved,
  /// `run` is empty. Throws Error (system) when it cannot be made, or when nothing can be written
  /// into it.
  RunFolder(const std::filesystem::path& parent, const std::string& run_id,
            const std::filesystem::path& inherited = {});
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  const std::filesystem::path& root() const { return root_; }
  std::filesystem::path run_dir() const { return root_ / "run"; }
  std::filesystem::path lap_dir() const { return root_ / "laps"; }
  /// Writes which run this is, without its secrets, for commands that show runs under way. Ignores
  /// failures.
  void describe(const RunContext& context) const;
  /// Keeps the folder. Later lapcasts do not remove it as stale either.
  void keep() { keep_ = true; }

  /// Returns the message that nothing can be written into the folder, why, and what to do.
  std::string unwritable_text(const std::string& why) const;

 private:
  std::filesystem::path root_;
  bool keep_ = false;
};

/// Notices when the disk of a run folder is full, so that a program cannot report laps. The folder
/// must outlive it.
class DiskWatch {
 public:
  explicit DiskWatch(const RunFolder& folder) : folder_(folder) {}
  /// Checks whether the disk is full now.
  void look();
  /// Explains missing laps of a run that has ended, if its disk is full or was when look() was
  /// called: in the outcome of a run without laps, and by a warning otherwise.
  void explain_missing_laps(Run& run) const;

 private:
  const RunFolder& folder_;
  bool was_full_ = false;
};

/// Names a run folder of this user whose lapcast is alive.
struct LiveRunFolder {
  std::filesystem::path root;
  std::string run_id;
};

/// Returns the run folders below `parent`, as above, of runs under way.
std::vector<LiveRunFolder> live_run_folders(const std::filesystem::path& parent);

/// Returns what RunFolder::describe() wrote into the folder. The program of the run can change it:
/// it is only for display. Returns nothing when it is absent, cannot be read or is of another run.
std::optional<Run> described_run(const LiveRunFolder& folder);

/// Returns the newest folder below `parent`, as above, of a run of this user; empty if there is
/// none. A restarted run has several.
std::filesystem::path newest_run_folder(const std::filesystem::path& parent,
                                        const std::string& run_id);

/// Returns how long after the start of the program in a run folder a file was written, negative for
/// an older one. Returns none when one of the two times is not known.
std::optional<Seconds> written_after_start(const std::filesystem::path& run_folder,
                                           const std::filesystem::path& file);

/// Returns `parent`, or $TMPDIR or /tmp when that is empty.
std::filesystem::path run_parent_or_default(const std::filesystem::path& parent);

/// Throws Error (system) when no run folder can be made below `parent`, as above.
void check_run_parent(const std::filesystem::path& parent);

/// Kills the processes of programs whose lapcast was killed: those of this user whose environment
/// names a run folder below `parent`, as above.
void end_stale_programs(const std::filesystem::path& parent);

/// Does what end_stale_programs() does, and then removes the run folders.
void remove_stale_run_folders(const std::filesystem::path& parent);

/// Returns whether a pattern stays in the run folder: it is not empty, not absolute and has no
/// "..".
bool is_checkpoint_pattern(std::string_view pattern);

/// Returns the file or folder in the run folder that matches a pattern of glob(7) and was written
/// last, as a path below it; of several, the one with the last name. Returns none if nothing
/// matches.
std::optional<std::string> newest_checkpoint(const std::filesystem::path& run_dir,
                                             const std::string& pattern);

/// Returns a text with each occurrence of a placeholder, such as "{run_dir}", replaced.
std::string with_placeholder(std::string text, std::string_view placeholder,
                             const std::string& value);

/// Returns the arguments of a plan with {checkpoint} replaced by a path below {run_dir}.
std::vector<std::string> resume_arguments(const ResumePlan& plan, const std::string& checkpoint);

}  // namespace lapcast
