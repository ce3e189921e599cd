#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/result.h"
#include "machine/place.h"
#include "remote/file_list.h"

namespace lapcast {

/// A data set that is sent.
struct SentData {
  std::string path;  // as data_path() says it
  FileList list;     // of the program's folder, or of the folder above an absolute path
};

/// A program's folder and its data sets, as they are sent to a remote machine.
struct ProgramFiles {
  FileList program;
  std::vector<SentData> data;
  std::vector<std::string> data_paths;  // of all data sets, sent or not
  std::string content;                  // a hash over the lists of the program and the data
  std::string name;                     // of its remote folder: its own name and a hash of its path
};

/// Limits of a program; a larger folder most likely holds data or results.
inline constexpr std::int64_t kMostProgramBytes = 2LL << 30;
inline constexpr std::size_t kMostProgramFiles = 100'000;

/// Lists what is sent, by the rules of ignore_rules.h and the folder's .lapcastignore. Data sets
/// and `left_out` (absolute paths of files, such as the store) are no part of the program. A data
/// set is sent whole, but for what looks like a secret. The reason when a folder is /, the home
/// folder or one above it, the program is too large, or something cannot be read.
Result<ProgramFiles> program_files(const std::filesystem::path& folder,
                                   const std::vector<DataSet>& data,
                                   const std::vector<std::filesystem::path>& left_out = {});

/// Returns the files of a store, which are never sent.
std::vector<std::filesystem::path> store_files(const std::filesystem::path& store);

/// Returns the name of a program's folder on other machines, the same whatever lies in it.
std::string work_name(const std::filesystem::path& folder);

/// Returns a data set's path without "." and without slashes at its end or beside each other.
std::string data_path(const DataSet& set);

/// Returns a warning that names files which default rules did not send; empty = there are none.
std::string unsent_warning(const ProgramFiles& files);

}  // namespace lapcast
