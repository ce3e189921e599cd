#include "probe/hook_folder.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <string_view>

#include "core/hash.h"
#include "core/units.h"
#include "posix/files.h"
#include "probe/ids_and_time.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;

Reason failed(const std::string& what, const fs::path& path) {
  return {fmt::format("cannot {} {}: {}", what, printable(path.string()), std::strerror(errno))};
}

/// Returns whether no other user can replace this folder or one above it. Folders of root and those
/// with the sticky bit are safe too.
bool is_private_down_from_root(const fs::path& folder) {
  std::error_code error;
  const fs::path real = fs::canonical(folder, error);
  if (error || !is_own_path(real, S_IFDIR, Forbidden::writing)) return false;
  for (fs::path path = real.parent_path();; path = path.parent_path()) {
    struct stat info {};
    if (lstat(path.c_str(), &info) != 0) return false;
    const bool others_write = (info.st_mode & (S_IWGRP | S_IWOTH)) != 0;
    if (info.st_uid != 0 && info.st_uid != geteuid()) return false;
    if (others_write && (info.st_mode & S_ISVTX) == 0) return false;
    if (path == path.root_path()) return true;
  }
}

bool is_intact(const fs::path& folder, const HookFile& file) {
  const fs::path path = folder / file.path;
  if (!is_own_path(path, S_IFREG, Forbidden::writing) ||
      !is_own_path(path.parent_path(), S_IFDIR, Forbidden::writing))
    return false;
  return text_of_file(path.string(), file.text.size() + 1) == file.text;
}

bool is_intact(const fs::path& folder, std::span<const HookFile> files) {
  return is_own_path(folder, S_IFDIR, Forbidden::writing) &&
         std::all_of(files.begin(), files.end(),
                     [&](const HookFile& file) { return is_intact(folder, file); });
}

Result<fs::path> write_files(const fs::path& folder, std::span<const HookFile> files) {
  for (const HookFile& file : files) {
    const fs::path path = folder / file.path;
    if (!make_private_folders(path.parent_path())) return tl::unexpected(failed("write", path));
    if (const auto written = write_private_file(path, file.text); !written)
      return tl::unexpected(written.error());
  }
  return folder;
}

/// Puts the complete folder in its place in one step, after moving a damaged one out of the way.
/// Keeps the folder of another lapcast that was faster.
Result<fs::path> unpack_in_one_step(const fs::path& folder, std::span<const HookFile> files) {
  const fs::path draft = fmt::format("{}.{}", folder.string(), new_id());
  const fs::path damaged = draft.string() + ".old";
  std::error_code ignored;
  Result<fs::path> result = write_files(draft, files);
  if (result && is_own_path(folder, S_IFDIR, Forbidden::writing) && !is_intact(folder, files))
    fs::rename(folder, damaged, ignored);
  if (result && rename(draft.c_str(), folder.c_str()) != 0 && !is_intact(folder, files))
    result = tl::unexpected(failed("make", folder));
  fs::remove_all(draft, ignored);
  fs::remove_all(damaged, ignored);
  if (!result) return result;
  return folder;
}

Result<fs::path> unpack_into_cache(const fs::path& cache, std::span<const HookFile> files) {
  if (cache.empty()) return because("there is no folder for caches");
  const fs::path parent = cache / "lapcast";
  if (auto made = make_private_folders(parent); !made) return tl::unexpected(made.error());
  if (!is_private_down_from_root(parent))
    return because(fmt::format("others can write to {}", printable(parent.string())));
  const fs::path folder = parent / hook_folder_name(files);
  return is_intact(folder, files) ? folder : unpack_in_one_step(folder, files);
}

/// Returns whether PYTHONPATH can hold a folder, whose name must not have a ':'.
bool fits_python_path(const fs::path& folder) {
  return folder.native().find(':') == std::string::npos;
}

}  // namespace

fs::path user_cache_folder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && fs::path(cache).is_absolute()) return cache;
  const char* home = std::getenv("HOME");
  return home != nullptr && fs::path(home).is_absolute() ? fs::path(home) / ".cache" : fs::path();
}

std::string hook_folder_name(std::span<const HookFile> files) {
  Fnv1a hash;  // tells versions apart; safety comes from the folder being private
  for (const HookFile& file : files)
    for (const std::string_view text : {file.path, file.text}) {
      hash.add(text);
      hash.add_unit(text.size());
    }
  return fmt::format("hook-{:016x}", hash.value());
}

Result<fs::path> unpack_hook(std::span<const HookFile> files, const fs::path& cache_folder,
                             const fs::path& private_folder) {
  if (fits_python_path(cache_folder))
    if (auto cached = unpack_into_cache(cache_folder, files)) return cached;
  const fs::path folder = private_folder / "hook";
  if (!fits_python_path(folder))
    return because(fmt::format("{} has a ':' in its name, which PYTHONPATH cannot hold",
                               printable(folder.string())));
  return write_files(folder, files);
}

SpawnSpec launch_spec(const ProbeRequest& request, const RunFolder& folder,
                      std::vector<std::string>& warnings) {
  if (!request.hook || request.lap_source || hook_files().empty())
    return launch_spec(request, folder, fs::path());
  const auto unpacked = unpack_hook(hook_files(), user_cache_folder(), folder.root());
  if (!unpacked)
    warnings.push_back("Python programs are not observed by themselves: " + unpacked.error().text);
  return launch_spec(request, folder, unpacked.value_or(fs::path()));
}

SpawnSpec launch_spec(const ProbeRequest& request, const RunFolder& folder,
                      const fs::path& hook_folder) {
  const RunContext& context = request.context;
  SpawnSpec spec;
  const std::string run_dir = folder.run_dir().string();
  for (const std::string& argument : filled_program(context))
    spec.arguments.push_back(with_placeholder(argument, "{run_dir}", run_dir));
  for (const auto& [name, value] : context.machine_type.environment)
    spec.environment[name] = with_placeholder(value, "{run_dir}", run_dir);
  if (!hook_folder.empty()) {
    const char* inherited = std::getenv("PYTHONPATH");
    std::string& path =
        spec.environment.try_emplace("PYTHONPATH", inherited == nullptr ? "" : inherited)
            .first->second;
    path = hook_folder.string() + (path.empty() ? "" : ":") + path;
  }
  spec.environment["LAPCAST_LOG_DIR"] = request.lap_source ? "" : folder.lap_dir().string();
  spec.environment["LAPCAST_RUN_DIR"] = run_dir;
  spec.cpus = context.machine_type.cpus;
  return spec;
}

}  // namespace lapcast
