#pragma once

#include <span>
#include <string_view>

namespace lapcast {

/// A file of the Python hook as it was when lapcast was built.
struct HookFile {
  std::string_view path;  // below the folder that is put on the PYTHONPATH: "lapcast/__init__.py"
  std::string_view text;
};

/// All files of python/ that a program needs to report its laps, in the order of their names.
/// Written by cmake/hook_files.cmake.
std::span<const HookFile> hook_files();

}  // namespace lapcast
