#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace lapcast {

/// Notices which files a program wrote beyond its run folder, as far as that can be known from
/// outside: those that it holds open for writing when somebody looks, and those in its working
/// folder that are new or changed afterwards, unless others may write there or another process
/// holds them open.
class ForeignFiles {
 public:
  /// Leaves out what begins with one of `own_prefixes`, where a folder ends in '/'.
  ForeignFiles(std::filesystem::path working_dir, std::vector<std::string> own_prefixes);

  /// Looks at the open files of a process and its descendants.
  void look(pid_t leader);
  /// Looks, after the program has ended, at the working folder, not deeper. Returns all files
  /// found, sorted.
  std::vector<std::string> finish();

 private:
  bool is_own(const std::filesystem::path& file) const;
  std::map<std::string, std::filesystem::file_time_type> files_of_working_dir() const;
  std::filesystem::path working_dir_;
  std::vector<std::string> own_prefixes_;
  bool is_alone_ = false;  // nobody else may write into the working folder
  std::map<std::string, std::filesystem::file_time_type> before_;  // of the working folder
  std::set<std::string> found_;
};

/// Returns whether a program's output says that it went on from a checkpoint.
bool says_resumed(const std::string& output);

}  // namespace lapcast
