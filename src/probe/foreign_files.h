#pragma once

#include <sys/types.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace lapcast {

/// Notices, as far as that can be seen from outside, which files a program wrote beyond its run
/// folder: those that it holds open for writing when we look, and those in its working folder that
/// are new or newer afterwards.
class ForeignFiles {
 public:
  ForeignFiles(std::filesystem::path working_dir, std::vector<std::filesystem::path> own_folders);

  /// Looks at the open files of the process and its descendants in its group.
  void look(pid_t leader);
  /// Looks at the working folder (not deeper); the files found in all, sorted.
  std::vector<std::string> finish();

 private:
  bool is_own(const std::filesystem::path& file) const;
  std::filesystem::path working_dir_;
  std::vector<std::filesystem::path> own_folders_;
  std::filesystem::file_time_type since_;
  std::set<std::string> found_;
};

/// True when a program's output says that it went on from a checkpoint.
bool says_resumed(const std::string& output);

}  // namespace lapcast
