#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/seconds.h"
#include "forecast/memory_use.h"
#include "lap/lap_log.h"
#include "probe/child_process.h"
#include "probe/load_sampler.h"
#include "probe/request.h"
#include "run/run.h"

namespace lapcast {

/// Returns what a user should know about how a run went: a damaged log, other programs that had to
/// be killed, a program that resumed. `log` is the merged log of all its processes; `left` are the
/// processes that outlived it.
std::vector<std::string> warnings_about(const Run& run, const LapLog& log,
                                        std::span<const LeftProcess> left);

/// Returns a sentence on how much others slowed a program, if they did.
std::vector<std::string> warnings_about_others(std::span<const LoadSample> loads);

/// Returns what the samples of a run so far say of its memory. `log` has the program's laps.
std::vector<MeteredMemory> memory_of_samples(const LoadSampler& load, const LapLog& log,
                                             const Run& run);

/// Returns sentences on how much others slowed a program, on a GPU that was idle while it trained,
/// and on memory that is nearly full or still grows, from the samples of a run that has just ended.
/// `log` has the program's laps.
std::vector<std::string> warnings_about_load(const LoadSampler& load, const LapLog& log,
                                             const Run& run);

/// Returns the prefixes of paths that lapcast itself writes while a program runs: in its run
/// folder, of the hook, and of the store with the files beside it (empty = none).
std::vector<std::string> written_by_lapcast(const std::filesystem::path& run_folder,
                                            const std::filesystem::path& store_file);

/// Returns a warning that names the files which a program wrote outside its run folder; empty
/// when there are none.
std::string warning_of_foreign_files(const std::vector<std::string>& files);
/// Returns whether a stored warning is one of warning_of_foreign_files().
bool is_warning_of_foreign_files(const std::string& warning);

/// Notices which files a program wrote outside its run folder, as far as that can be known from
/// outside: files that it holds open for writing when look() is called, and files in its working
/// folder that are new or changed at its end, unless others may write to the folder or another
/// process holds them open.
class ForeignFiles {
 public:
  /// Leaves out paths that begin with one of `own_prefixes`; that of a folder ends in '/'.
  ForeignFiles(std::filesystem::path working_dir, std::vector<std::string> own_prefixes);

  /// Looks at the open files of a process and its descendants.
  void look(pid_t leader);
  /// Does the same, but only every 2 s.
  void look_when_due(pid_t leader, MonotonicNs now);
  /// Looks at the working folder, but not at folders in it, after the program has ended. Returns
  /// all files found, sorted.
  std::vector<std::string> finish();
  /// Returns warning_of_foreign_files() of what finish() finds, if it finds any.
  std::vector<std::string> warnings();

 private:
  bool is_own(const std::filesystem::path& file) const;
  std::map<std::string, std::filesystem::file_time_type> files_of_working_dir() const;
  std::filesystem::path working_dir_;
  std::vector<std::string> own_prefixes_;
  bool is_alone_ = false;  // nobody else may write into the working folder
  std::map<std::string, std::filesystem::file_time_type> before_;  // of the working folder
  std::set<std::string> found_;
  MonotonicNs next_look_ = 0;
};

/// Returns what finds files that a probe's program, but not lapcast itself, writes outside its run
/// folder. Returns none for a watched run: the user's own training may write where it likes.
std::optional<ForeignFiles> foreign_files_of(const ProbeRequest& request,
                                             const std::filesystem::path& run_folder);

/// Returns whether a program's output says that it resumed from a checkpoint.
bool says_resumed(const std::string& output);

}  // namespace lapcast
