#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/result.h"
#include "remote/ignore_rules.h"

namespace lapcast {

/// Says what an entry of a list is; the value is its letter in the list that is sent.
enum class FileKind : char { file = 'f', link = 'l', empty_folder = 'd' };

/// One thing that is sent; a symbolic link is sent as a link.
struct ListedFile {
  std::string path;  // relative to the list's folder, without "./"
  FileKind kind = FileKind::file;
  std::int64_t bytes = 0;  // of a link: of its target's name
};

/// A file or folder that a default rule does not send.
struct UnsentFile {
  std::string path;
  Ignored why = Ignored::as_secret;  // or by_default
};

/// Names all that is sent of one folder; what is not listed never leaves this machine.
struct FileList {
  std::filesystem::path folder;
  std::vector<ListedFile> files;   // sorted by path
  std::vector<UnsentFile> unsent;  // sorted by path
  std::int64_t bytes = 0;
  std::string content;  // a hash of paths, types, modes, sizes and modification times
};

/// Says which files of a folder are listed.
struct ListRequest {
  std::filesystem::path folder;                      // absolute
  std::string start = {};                            // relative to it; empty = all of the folder
  IgnoreRules rules = {};                            // not asked about `start` itself
  std::vector<std::filesystem::path> left_out = {};  // absolute paths that are no part of it
  std::int64_t most_bytes = INT64_MAX;
  std::size_t most_files = SIZE_MAX;
};

/// Lists files, links and empty folders; a folder that holds anything, even if nothing of it is
/// sent, is no empty one. No link is followed. Pipes, sockets and devices are left out. The reason
/// names a folder that cannot be read, or says what is large when there is more than the request
/// allows.
Result<FileList> list_files(const ListRequest& request);

/// Returns the bytes of a file, or of all files below a folder; no link is followed.
std::int64_t bytes_below(const std::filesystem::path& path);

}  // namespace lapcast
