#include "probe/hook_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "core/units.h"
#include "machine/system_file.h"
#include "probe/ids_and_time.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;

Reason failed(const std::string& what, const fs::path& path) {
  return {fmt::format("cannot {} {}: {}", what, printable(path.string()), std::strerror(errno))};
}

// Whom a folder belongs to ------------------------------------------------------------------------

/// Nobody but this user (and root) can write to it; a link is none.
bool is_private(const fs::path& path, mode_t kind) {
  struct stat info {};
  return lstat(path.c_str(), &info) == 0 && (info.st_mode & S_IFMT) == kind &&
         info.st_uid == geteuid() && (info.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/// Nobody else can put another folder in its place: as for its ancestors, where root's and those
/// with the sticky bit do as well.
bool is_private_down_from_root(const fs::path& folder) {
  std::error_code error;
  const fs::path real = fs::canonical(folder, error);
  if (error || !is_private(real, S_IFDIR)) return false;
  for (fs::path path = real.parent_path();; path = path.parent_path()) {
    struct stat info {};
    if (lstat(path.c_str(), &info) != 0) return false;
    const bool others_write = (info.st_mode & (S_IWGRP | S_IWOTH)) != 0;
    if (info.st_uid != 0 && info.st_uid != geteuid()) return false;
    if (others_write && (info.st_mode & S_ISVTX) == 0) return false;
    if (path == path.root_path()) return true;
  }
}

// What is in it -----------------------------------------------------------------------------------

bool is_intact(const fs::path& folder, const HookFile& file) {
  const fs::path path = folder / file.path;
  if (!is_private(path, S_IFREG) || !is_private(path.parent_path(), S_IFDIR)) return false;
  return read_system_file(path.string(), file.text.size() + 1) == file.text;
}

bool is_intact(const fs::path& folder, std::span<const HookFile> files) {
  return is_private(folder, S_IFDIR) &&
         std::all_of(files.begin(), files.end(),
                     [&](const HookFile& file) { return is_intact(folder, file); });
}

bool make_folders(const fs::path& folder) {
  if (folder.empty() || mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST) return true;
  if (errno != ENOENT || !folder.has_relative_path()) return false;
  return make_folders(folder.parent_path()) &&
         (mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST);
}

bool write_new_file(const fs::path& path, std::string_view text) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0) return false;
  errno = ENOSPC;  // what a write that is cut short means
  const bool written = write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  return close(fd) == 0 && written;
}

Result<fs::path> write_files(const fs::path& folder, std::span<const HookFile> files) {
  for (const HookFile& file : files) {
    const fs::path path = folder / file.path;
    if (!make_folders(path.parent_path()) || !write_new_file(path, file.text))
      return tl::unexpected(failed("write", path));
  }
  return folder;
}

// The cache ---------------------------------------------------------------------------------------

/// Puts a whole folder in its place in one step, a damaged one out of the way. The one of a lapcast
/// that was faster does as well.
Result<fs::path> unpack_in_one_step(const fs::path& folder, std::span<const HookFile> files) {
  const fs::path draft = fmt::format("{}.{}", folder.string(), new_id());
  const fs::path damaged = draft.string() + ".old";
  std::error_code ignored;
  Result<fs::path> result = write_files(draft, files);
  if (result && is_private(folder, S_IFDIR) && !is_intact(folder, files))
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
  if (!make_folders(parent)) return tl::unexpected(failed("make", parent));
  if (!is_private_down_from_root(parent))
    return because(fmt::format("others can write to {}", printable(parent.string())));
  const fs::path folder = parent / hook_folder_name(files);
  return is_intact(folder, files) ? folder : unpack_in_one_step(folder, files);
}

/// PYTHONPATH knows no way to write a ':'.
bool fits_python_path(const fs::path& folder) {
  return folder.native().find(':') == std::string::npos;
}

/// FNV-1a, 64 bits: tells versions apart; that nobody else writes is what makes it safe.
std::uint64_t hash(std::string_view text, std::uint64_t state) {
  for (const char c : text) state = (state ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return (state ^ text.size()) * 1099511628211ULL;
}

}  // namespace

fs::path user_cache_folder() {
  const auto absolute = [](const char* text) {
    return text != nullptr && fs::path(text).is_absolute() ? fs::path(text) : fs::path();
  };
  const fs::path cache = absolute(std::getenv("XDG_CACHE_HOME"));
  if (!cache.empty()) return cache;
  const fs::path home = absolute(std::getenv("HOME"));
  return home.empty() ? home : home / ".cache";
}

std::string hook_folder_name(std::span<const HookFile> files) {
  std::uint64_t state = 14695981039346656037ULL;
  for (const HookFile& file : files) state = hash(file.text, hash(file.path, state));
  return fmt::format("hook-{:016x}", state);
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

std::string before_python_path(const fs::path& folder, const std::string& python_path) {
  return python_path.empty() ? folder.string() : folder.string() + ":" + python_path;
}

}  // namespace lapcast
