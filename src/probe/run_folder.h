#pragma once

#include <filesystem>
#include <string>

namespace lapcast {

/// A run's private folder (mode 0700): an empty `run` for the program's own files and `laps` for
/// its lap logs. Removed with all that is in it by the destructor, unless keep() was called.
class RunFolder {
 public:
  /// Below `parent`, or, when empty, $TMPDIR or /tmp. `inherited` of an earlier attempt becomes its
  /// `run`; where that cannot be, and when it is empty, `run` is empty. Throws Error (system) when
  /// it cannot be made, or when nothing can be written into it.
  RunFolder(const std::filesystem::path& parent, const std::string& run_id,
            const std::filesystem::path& inherited = {});
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  const std::filesystem::path& root() const { return root_; }
  std::filesystem::path run_dir() const { return root_ / "run"; }
  std::filesystem::path lap_dir() const { return root_ / "laps"; }
  /// Leaves it where it is, also when later lapcasts look for stale folders.
  void keep() { keep_ = true; }

  /// Says that nothing can be written into it, and why.
  std::string unwritable_text(const std::string& why) const;
  static constexpr const char* kMakeSpace =
      "free some space there, or name another place with --run-parent";

 private:
  std::filesystem::path root_;
  bool keep_ = false;
};

/// Error (system) when no run folder can be made below `parent` (as above).
void check_run_parent(const std::filesystem::path& parent);

/// Kills what still runs of programs whose lapcast, of this user, was killed, as far as they know
/// their run folder below `parent` (as above) by their environment.
void end_stale_programs(const std::filesystem::path& parent);

/// The same, and removes the folders.
void remove_stale_run_folders(const std::filesystem::path& parent);

}  // namespace lapcast
