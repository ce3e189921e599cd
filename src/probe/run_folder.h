#pragma once

#include <filesystem>
#include <string>

namespace lapcast {

/// Owns the private folder (mode 0700) of a run: an empty `run` for the program's own files and
/// `laps` for its lap logs. The destructor removes it with all that is in it, unless keep() was
/// called.
class RunFolder {
 public:
  /// Makes the folder below `parent`, or below $TMPDIR or /tmp when that is empty. The folder
  /// `inherited` of an earlier attempt is moved to be its `run`; when it is empty or cannot be
  /// moved, `run` is empty. Throws Error (system) when it cannot be made, or when nothing can be
  /// written into it.
  RunFolder(const std::filesystem::path& parent, const std::string& run_id,
            const std::filesystem::path& inherited = {});
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  const std::filesystem::path& root() const { return root_; }
  std::filesystem::path run_dir() const { return root_ / "run"; }
  std::filesystem::path lap_dir() const { return root_ / "laps"; }
  /// Leaves the folder in its place, also when later lapcasts look for stale folders.
  void keep() { keep_ = true; }

  /// Says that nothing can be written into it, and why.
  std::string unwritable_text(const std::string& why) const;
  static constexpr const char* kMakeSpace =
      "free some space there, or name another place with --run-parent";

 private:
  std::filesystem::path root_;
  bool keep_ = false;
};

/// Throws Error (system) when no run folder can be made below `parent`, as above.
void check_run_parent(const std::filesystem::path& parent);

/// Kills the processes of programs whose lapcast was killed: those of this user whose environment
/// names a run folder below `parent`, as above.
void end_stale_programs(const std::filesystem::path& parent);

/// Does the same as end_stale_programs(), and removes the folders.
void remove_stale_run_folders(const std::filesystem::path& parent);

}  // namespace lapcast
