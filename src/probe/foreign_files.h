#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace lapcast {

/// Notices, as far as that can be seen from outside, which files a program wrote beyond its run
/// folder: those that it holds open for writing when we look, and those in its working folder that
/// are new or changed afterwards.
class ForeignFiles {
 public:
  /// What begins with one of own_prefixes is nobody else's: a folder ends in '/'.
  ForeignFiles(std::filesystem::path working_dir, std::vector<std::string> own_prefixes);

  /// Looks at the open files of the process and its descendants in its group.
  void look(pid_t leader);
  /// Looks at the working folder (not deeper); the files found in all, sorted.
  std::vector<std::string> finish();

 private:
  bool is_own(const std::filesystem::path& file) const;
  std::map<std::string, std::filesystem::file_time_type> files_of_working_dir() const;
  std::filesystem::path working_dir_;
  std::vector<std::string> own_prefixes_;
  std::map<std::string, std::filesystem::file_time_type> before_;  // of the working folder
  std::set<std::string> found_;
};

/// True when a program's output says that it went on from a checkpoint.
bool says_resumed(const std::string& output);

}  // namespace lapcast
