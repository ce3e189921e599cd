#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "formats/format_list.h"

namespace lapcast {

/// Limits what is looked at below a folder that a user names.
inline constexpr std::size_t kMostFilesBelow = 100'000;

/// Returns the regular files of a folder and those below it, by name; hidden folders and links are
/// left out. Throws Error (bad input) where there are more than kMostFilesBelow.
std::vector<std::filesystem::path> files_below(const std::filesystem::path& folder);

/// Is an old log that is to be imported.
struct FoundLog {
  const FileFormat* format = nullptr;  // of FormatKind::log
  /// Has its files in order: several only for event files that a run wrote one after another. A log
  /// of a folder has the folder.
  std::vector<std::string> files;
};

/// Holds what was found under the names that a user typed.
struct FoundFiles {
  std::vector<FoundLog> logs;
  std::vector<std::string> runs;     // files of JSON lines
  std::vector<std::string> unknown;  // named by the user, and neither
  std::size_t passed_over = 0;       // in folders, and neither
};

/// Finds out by content what files are, and what a folder and those below it have: a run of MLflow,
/// event files (those of one folder are one log, as TensorBoard takes it), other logs, of the
/// states of a trainer's checkpoints the newest, and runs. Throws Error (bad input) when a name is
/// not there.
FoundFiles find_logs(const std::vector<std::string>& names);

}  // namespace lapcast
