#include "remote/file_list.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "core/hash.h"
#include "core/units.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;

struct CloseFolder {
  void operator()(DIR* folder) const { closedir(folder); }
};
using OpenFolder = std::unique_ptr<DIR, CloseFolder>;

/// Opens a folder, but not a link in its place. Returns nothing and sets errno when it cannot.
OpenFolder open_folder(int above, const char* name) {
  const int fd = openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return nullptr;
  DIR* folder = fdopendir(fd);
  if (folder == nullptr) close(fd);
  return OpenFolder(folder);
}

/// Returns the next name in a folder, without "." and ".."; none and errno (0 = the end) after it.
std::optional<std::string> next_name(DIR* folder) {
  while (true) {
    errno = 0;
    const dirent* found = readdir(folder);
    if (found == nullptr) return std::nullopt;
    const std::string_view name = found->d_name;
    if (name != "." && name != "..") return std::string(name);
  }
}

/// Returns whether something was removed or replaced since its name was read.
bool is_gone(int error) {
  return error == ENOENT || error == ENOTDIR || error == ELOOP;
}

std::optional<FileKind> kind_of(mode_t mode) {
  if (S_ISREG(mode)) return FileKind::file;
  if (S_ISLNK(mode)) return FileKind::link;
  return std::nullopt;
}

/// Returns the largest entries of the top folder, for a reason: "data (31.0 GiB), runs (2.1 GiB)".
std::string largest(const std::map<std::string, std::int64_t>& sizes) {
  std::vector<std::pair<std::int64_t, std::string>> order;
  for (const auto& [name, bytes] : sizes) order.emplace_back(bytes, name);
  std::sort(order.rbegin(), order.rend());
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(order.size(), 3); ++i)
    text += fmt::format("{}{} ({})", i == 0 ? "" : ", ", printable(order[i].second, 60),
                        format_bytes(order[i].first));
  return text;
}

/// Walks once through a folder. Opens folders one from the other, so that a folder which becomes a
/// link meanwhile is not entered.
class Walk {
 public:
  explicit Walk(const ListRequest& request) : request_(request) {}

  Result<FileList> run() {
    const fs::path start = request_.folder / request_.start;
    struct stat info {};
    if (lstat(start.c_str(), &info) != 0) return cannot_read(request_.start, errno);
    if (const auto kind = kind_of(info.st_mode))
      add(request_.start, *kind, info);
    else if (auto done = folder(open_folder(AT_FDCWD, start.c_str()), request_.start, info); !done)
      return tl::unexpected(done.error());
    if (auto fits = check_size(); !fits) return tl::unexpected(fits.error());
    return result();
  }

 private:
  Result<void> folder(OpenFolder open, const std::string& path, const struct stat& info) {
    if (!open && is_gone(errno) && path != request_.start) return {};
    if (!open) return cannot_read(path, errno);
    bool empty = true;
    while (const auto name = next_name(open.get())) {
      empty = false;
      auto done = entry(dirfd(open.get()), *name, path.empty() ? *name : path + "/" + *name);
      if (!done) return done;
    }
    if (errno != 0) return cannot_read(path, errno);
    if (empty && !path.empty()) add(path, FileKind::empty_folder, info);
    if (!empty && !path.empty()) marks_.emplace_back(path, mark_of_folder(info));
    return {};
  }

  Result<void> entry(int above, const std::string& name, const std::string& path) {
    struct stat info {};
    if (fstatat(above, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return {};  // gone meanwhile
    const bool is_folder = S_ISDIR(info.st_mode);
    const auto kind = kind_of(info.st_mode);
    if ((!is_folder && !kind) || is_left_out(request_.folder / path)) return {};
    if (const Ignored why = request_.rules.why_ignored(path, is_folder); why != Ignored::no) {
      if (why != Ignored::by_user) list_.unsent.push_back({path, why});
      return {};
    }
    if (is_folder) return folder(open_folder(above, name.c_str()), path, info);
    add(path, *kind, info);
    return check_size();
  }

  void add(const std::string& path, FileKind kind, const struct stat& info) {
    const std::int64_t bytes = kind == FileKind::empty_folder ? 0 : info.st_size;
    list_.files.push_back({path, kind, bytes});
    list_.bytes += bytes;
    sizes_[path.substr(0, path.find('/'))] += bytes;
    marks_.emplace_back(path,
                        kind == FileKind::empty_folder ? mark_of_folder(info) : mark_of(info));
  }

  Result<void> check_size() const {
    if (list_.bytes <= request_.most_bytes && list_.files.size() <= request_.most_files) return {};
    return because(
        fmt::format("the folder {} is too large to be sent ({}, {} files so far): {}; name what is "
                    "no part of the "
                    "program in its .lapcastignore, and data in [[data]] of the fleet file",
                    printable(request_.folder.string()), format_bytes(list_.bytes),
                    list_.files.size(), largest(sizes_)));
  }

  tl::unexpected<Reason> cannot_read(const std::string& path, int error) const {
    return because(fmt::format("cannot read {}, which would be sent: {}",
                               printable((request_.folder / path).string()), std::strerror(error)));
  }

  bool is_left_out(const fs::path& path) const {
    return std::find(request_.left_out.begin(), request_.left_out.end(), path) !=
           request_.left_out.end();
  }

  static std::uint64_t mark_of_folder(const struct stat& info) { return info.st_mode; }
  static std::uint64_t mark_of(const struct stat& info) {
    ContentHash hash;
    hash.add(static_cast<std::uint64_t>(info.st_size));
    hash.add(static_cast<std::uint64_t>(info.st_mode));
    hash.add(static_cast<std::uint64_t>(info.st_mtim.tv_sec));
    hash.add(static_cast<std::uint64_t>(info.st_mtim.tv_nsec));
    return std::strtoull(hash.hex().c_str(), nullptr, 16);
  }

  FileList result() {
    const auto by_path = [](const auto& a, const auto& b) { return a.path < b.path; };
    std::sort(list_.files.begin(), list_.files.end(), by_path);
    std::sort(list_.unsent.begin(), list_.unsent.end(), by_path);
    std::sort(marks_.begin(), marks_.end());
    ContentHash hash;
    for (const auto& [path, mark] : marks_) {
      hash.add(path);
      hash.add(mark);
    }
    list_.folder = request_.folder;
    list_.content = hash.hex();
    return std::move(list_);
  }

  const ListRequest& request_;
  FileList list_;
  std::vector<std::pair<std::string, std::uint64_t>> marks_;
  std::map<std::string, std::int64_t> sizes_;
};

std::int64_t bytes_in(int above, const char* name) {
  struct stat info {};
  if (fstatat(above, name, &info, AT_SYMLINK_NOFOLLOW) != 0) return 0;
  if (!S_ISDIR(info.st_mode)) return S_ISREG(info.st_mode) ? info.st_size : 0;
  const OpenFolder open = open_folder(above, name);
  std::int64_t bytes = 0;
  while (const auto found = open ? next_name(open.get()) : std::nullopt)
    bytes += bytes_in(dirfd(open.get()), found->c_str());
  return bytes;
}

}  // namespace

Result<FileList> list_files(const ListRequest& request) {
  return Walk(request).run();
}

std::int64_t bytes_below(const fs::path& path) {
  return bytes_in(AT_FDCWD, path.c_str());
}

}  // namespace lapcast
