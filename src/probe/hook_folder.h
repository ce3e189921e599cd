#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "probe/child_process.h"
#include "probe/run_folder.h"
#include "run/run.h"

namespace lapcast {

/// Describes a file of the Python hook, which is part of the binary.
struct HookFile {
  std::string_view path;  // below the folder that is put on the PYTHONPATH: "lapcast/__init__.py"
  std::string_view text;
};

/// Returns all files of python/ that a program needs to report its laps, sorted by name.
/// cmake/hook_files.cmake writes this function.
std::span<const HookFile> hook_files();

/// Returns $XDG_CACHE_HOME, else ~/.cache; empty when neither is an absolute path.
std::filesystem::path user_cache_folder();

/// Returns a folder with exactly these files, for the PYTHONPATH of a program. Unpacks them once
/// into CACHE/lapcast/hook-HASH (mode 0700), which later runs reuse. If that fails, or others could
/// write to it, unpacks them into `private_folder`/hook. Several lapcasts may do so at the same
/// time. The reason names the folder and what went wrong.
Result<std::filesystem::path> unpack_hook(std::span<const HookFile> files,
                                          const std::filesystem::path& cache_folder,
                                          const std::filesystem::path& private_folder);

/// Returns the name of the folder, which changes with every path and byte of the files.
std::string hook_folder_name(std::span<const HookFile> files);

/// Returns how to start the program of a run: with `{run_dir}` filled in, on its CPUs, and in the
/// environment of its machine type with LAPCAST_LOG_DIR (empty where the request names a source of
/// laps) and LAPCAST_RUN_DIR. The hook folder (empty = none) comes first on its PYTHONPATH, before
/// the user's own entries.
SpawnSpec launch_spec(const ProbeRequest& request, const RunFolder& folder,
                      const std::filesystem::path& hook_folder);

/// Returns the same with the hook of this binary if the request wants one. Adds a warning if the
/// hook cannot be unpacked.
SpawnSpec launch_spec(const ProbeRequest& request, const RunFolder& folder,
                      std::vector<std::string>& warnings);

}  // namespace lapcast
