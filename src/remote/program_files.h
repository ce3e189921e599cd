#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/result.h"
#include "machine/place.h"

namespace lapcast {

/// What of a program's folder is sent to a machine elsewhere.
struct ProgramFiles {
  std::filesystem::path folder;
  std::vector<std::string> paths;  // files, links and empty folders, relative, sorted
  std::int64_t bytes = 0;
  std::string content;  // a hash of paths, sizes and modification times, data that is sent included
  std::string name;     // of its folder there: its own name and a hash of where it is
};

/// Folders above this are not a program: most likely data, or results, lie in them.
inline constexpr std::int64_t kMostProgramBytes = 2LL << 30;
inline constexpr std::size_t kMostProgramFiles = 100'000;

/// Looks through the folder by the rules of ignore_rules.h and its .lapcastignore; data sets and
/// `left_out` (absolute paths of files, such as the store) are no part of the program. The reason
/// when it is /, the home folder or one above it, too large, or cannot be read.
Result<ProgramFiles> program_files(const std::filesystem::path& folder,
                                   const std::vector<DataSet>& data,
                                   const std::vector<std::filesystem::path>& left_out = {});

}  // namespace lapcast
