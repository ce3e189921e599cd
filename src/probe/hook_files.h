#pragma once

#include <span>
#include <string_view>

namespace lapcast {

/// Holds a file of the Python hook as it was when lapcast was built.
struct HookFile {
  std::string_view path;  // below the folder that is put on the PYTHONPATH: "lapcast/__init__.py"
  std::string_view text;
};

/// Returns all files of python/ that a program needs to report its laps, sorted by name.
/// cmake/hook_files.cmake writes this function.
std::span<const HookFile> hook_files();

}  // namespace lapcast
