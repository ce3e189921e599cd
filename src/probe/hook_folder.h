#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "core/result.h"

namespace lapcast {

/// Holds a file of the Python hook as it was when lapcast was built.
struct HookFile {
  std::string_view path;  // below the folder that is put on the PYTHONPATH: "lapcast/__init__.py"
  std::string_view text;
};

/// Returns all files of python/ that a program needs to report its laps, sorted by name.
/// cmake/hook_files.cmake writes this function.
std::span<const HookFile> hook_files();

/// Returns $XDG_CACHE_HOME, else ~/.cache; empty where neither is an absolute path.
std::filesystem::path user_cache_folder();

/// Returns a folder that holds just these files, to be put on the PYTHONPATH of a program. Unpacks
/// it once into CACHE/lapcast/hook-HASH (mode 0700), for every later run too, or, where that cannot
/// be done or others could write there, into `private_folder`/hook. Several lapcasts may do so at
/// once. The reason names the folder and what went wrong.
Result<std::filesystem::path> unpack_hook(std::span<const HookFile> files,
                                          const std::filesystem::path& cache_folder,
                                          const std::filesystem::path& private_folder);

/// Returns a PYTHONPATH with `folder` before the entries of another one, which may be empty.
std::string before_python_path(const std::filesystem::path& folder, const std::string& python_path);

/// Returns the name of the folder, which changes with every path and byte of the files.
std::string hook_folder_name(std::span<const HookFile> files);

}  // namespace lapcast
