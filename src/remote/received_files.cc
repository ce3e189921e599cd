#include "remote/received_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "core/units.h"
#include "posix/files.h"

namespace lapcast {

// Paths below one folder --------------------------------------------------------------------------

namespace {

constexpr int kFolderFlags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

/// Returns whether a path is "name/name/name", without "", "." and "..".
bool is_plain(std::string_view path) {
  while (true) {
    const std::size_t end = path.find('/');
    const std::string_view part = path.substr(0, end);
    if (part.empty() || part == "." || part == "..") return false;
    if (end == std::string_view::npos) return true;
    path.remove_prefix(end + 1);
  }
}

std::string_view name_of(const std::string& path) {
  return std::string_view(path).substr(path.rfind('/') + 1);  // npos + 1 = 0
}

/// Returns whether the kernel, or a sandbox in front of it, lacks openat2.
bool lacks_openat2(int error) {
  return error == ENOSYS || error == EPERM || error == EINVAL || error == E2BIG;
}

FileDescriptor open_by_kernel(int root, const std::string& path) {
  open_how how{};
  how.flags = kFolderFlags;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
  return FileDescriptor(
      static_cast<int>(syscall(SYS_openat2, root, path.c_str(), &how, sizeof how)));
}

FileDescriptor open_by_walk(int root, const std::string& path) {
  FileDescriptor folder(openat(root, ".", kFolderFlags));
  for (const auto& name : std::filesystem::path(path)) {
    if (!folder.is_open()) break;
    folder = FileDescriptor(openat(folder.get(), name.c_str(), kFolderFlags));
  }
  return folder;
}

}  // namespace

RootedFolder::RootedFolder(const std::filesystem::path& folder, Resolver resolver)
    : resolver_(resolver), root_(open(folder.c_str(), kFolderFlags)) {}

FileDescriptor RootedFolder::open_below(const std::string& path) const {
  if (resolver_ == Resolver::kernel) {
    FileDescriptor folder = open_by_kernel(root_.get(), path);
    if (folder.is_open() || !lacks_openat2(errno)) return folder;
  }
  return open_by_walk(root_.get(), path);
}

int RootedFolder::folder_above(const std::string& path) {
  if (!is_plain(path)) {
    errno = EINVAL;
    return -1;
  }
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return root_.get();
  const std::string above = path.substr(0, slash);
  if (!opened_.is_open() || opened_path_ != above) {
    opened_ = open_below(above);
    opened_path_ = above;
  }
  return opened_.get();
}

mode_t RootedFolder::type_of(const std::string& path) {
  struct stat info {};
  const int above = folder_above(path);
  const std::string name(name_of(path));
  if (above < 0 || fstatat(above, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return 0;
  return info.st_mode & S_IFMT;
}

bool RootedFolder::remove(const std::string& path) {
  const int above = folder_above(path);
  if (above < 0) return false;
  const std::string name(name_of(path));
  if (unlinkat(above, name.c_str(), 0) == 0) return true;
  if (errno != EISDIR && errno != EPERM) return false;
  return unlinkat(above, name.c_str(), AT_REMOVEDIR) == 0;
}

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostDataFiles = 100'000;          // of all data sets, in a list
constexpr std::string_view kIncomplete = "incomplete ";  // before the content, while it is sent
constexpr char kDataPath = 'P';

fs::path note_of(const fs::path& work_dir) {
  return work_dir.string() + ".received";
}

std::string_view take_text(std::string_view& list) {
  const std::size_t end = std::min(list.find('\0'), list.size());
  const std::string_view text = list.substr(0, end);
  list.remove_prefix(std::min(end + 1, list.size()));
  return text;
}

struct ListEntry {
  char kind = 0;
  std::string path;
  bool is_of_program() const { return std::islower(static_cast<unsigned char>(kind)) != 0; }
  mode_t type() const {
    const int letter = std::tolower(static_cast<unsigned char>(kind));
    return letter == 'f' ? S_IFREG : letter == 'l' ? S_IFLNK : letter == 'd' ? S_IFDIR : 0;
  }
};

/// Returns the entries of a list without those that only a later version knows.
std::vector<ListEntry> entries_of(std::string_view list) {
  std::vector<ListEntry> entries;
  take_text(list);
  while (!list.empty()) {
    const std::string_view text = take_text(list);
    if (text.size() < 3 || text[1] != ' ') continue;
    ListEntry entry{text[0], std::string(text.substr(2))};
    if (entry.type() != 0 || entry.kind == kDataPath) entries.push_back(std::move(entry));
  }
  return entries;
}

/// Returns whether one of two paths is the other, or lies below it.
bool overlap(std::string_view a, std::string_view b) {
  if (a.size() > b.size()) std::swap(a, b);
  return b.starts_with(a) && (a.size() == b.size() || b[a.size()] == '/');
}

/// Changes the folder of a program from one list to another.
class Replacement {
 public:
  Replacement(const fs::path& work_dir, const std::vector<ListEntry>& now)
      : work_dir_(work_dir), folder_(work_dir) {
    for (const ListEntry& entry : now)
      if (entry.is_of_program())
        types_[entry.path] = entry.type();
      else if (entry.kind == kDataPath)
        data_.push_back(entry.path);
  }
  bool is_open() const { return folder_.is_open(); }

  /// Removes what an earlier list named and the new one does not, or names as another type.
  void remove_former(const std::vector<ListEntry>& former) {
    for (const ListEntry& entry : former) {
      const auto found = types_.find(entry.path);
      const bool stays = found != types_.end() && found->second == entry.type();
      if (!entry.is_of_program() || stays || is_of_data(entry.path)) continue;
      if (folder_.remove(entry.path)) remove_empty_above(entry.path);
    }
  }

  /// Fails if a folder with files of its own is where a file or a link has to go.
  Result<void> make_way() {
    for (const auto& [path, type] : types_) {
      if (type == S_IFDIR || folder_.type_of(path) != S_IFDIR || folder_.remove(path)) continue;
      return because(
          fmt::format("{} is a folder with files that lapcast did not send, and a file is to be "
                      "there; remove it",
                      printable((work_dir_ / path).string())));
    }
    return {};
  }

 private:
  bool is_of_data(const std::string& path) const {
    return std::any_of(data_.begin(), data_.end(),
                       [&](const std::string& data) { return overlap(path, data); });
  }

  void remove_empty_above(const std::string& path) {
    for (fs::path above = fs::path(path).parent_path(); !above.empty(); above = above.parent_path())
      if (is_of_data(above.string()) || !folder_.remove(above.string())) return;
  }

  const fs::path& work_dir_;
  RootedFolder folder_;
  std::map<std::string, mode_t> types_;  // of the new list, by path
  std::vector<std::string> data_;
};

}  // namespace

std::string received_list(const ProgramFiles& files) {
  std::string list = files.content + '\0';
  const auto add = [&](char kind, const std::string& path) {
    list.append(1, kind).append(" ").append(path).append(1, '\0');
  };
  for (const std::string& path : files.data_paths) add(kDataPath, path);
  for (const ListedFile& file : files.program.files) add(static_cast<char>(file.kind), file.path);
  std::size_t left = kMostDataFiles;
  for (const SentData& set : files.data) {
    const bool absolute = set.path.starts_with('/');
    for (const ListedFile& file : set.list.files) {
      if (left-- == 0) return list + '\0';
      const int kind = std::toupper(static_cast<unsigned char>(file.kind));
      add(static_cast<char>(kind), absolute ? (set.list.folder / file.path).string() : file.path);
    }
  }
  return list + '\0';
}

bool is_received(const fs::path& work_dir, const std::string& content) {
  const std::string note = text_of_file(note_of(work_dir), kMostListBytes);
  if (!note.starts_with(content + '\0')) return false;
  RootedFolder folder(work_dir);
  if (!folder.is_open()) return false;
  const std::vector<ListEntry> entries = entries_of(note);
  return std::all_of(entries.begin(), entries.end(), [&](const ListEntry& entry) {
    if (entry.kind == kDataPath) return true;
    if (!entry.path.starts_with('/')) return folder.type_of(entry.path) == entry.type();
    struct stat info {};
    return lstat(entry.path.c_str(), &info) == 0 && (info.st_mode & S_IFMT) == entry.type();
  });
}

Result<bool> make_ready(const fs::path& work_dir, std::string_view list) {
  if (!list.ends_with(std::string_view("\0\0", 2))) return because("the list of files was cut off");
  if (auto made = make_private_folders(work_dir); !made) return tl::unexpected(made.error());
  Replacement replacement(work_dir, entries_of(list));
  if (!replacement.is_open())
    return because(fmt::format("{} is a link, and lapcast writes through none; remove it",
                               printable(work_dir.string())));
  const std::string former = text_of_file(note_of(work_dir), kMostListBytes);
  replacement.remove_former(entries_of(former));
  if (auto way = replacement.make_way(); !way) return tl::unexpected(way.error());
  if (unlink(set_up_note(work_dir).c_str()) != 0 && errno != ENOENT)
    return because(fmt::format("cannot remove {}: {}", printable(set_up_note(work_dir).string()),
                               std::strerror(errno)));
  const auto noted = write_private_file(note_of(work_dir), std::string(kIncomplete).append(list));
  if (!noted) return tl::unexpected(noted.error());
  return !former.empty();
}

Result<void> note_received(const fs::path& work_dir, const std::string& content) {
  std::string note = text_of_file(note_of(work_dir), kMostListBytes);
  if (!note.starts_with(std::string(kIncomplete) + content + '\0'))
    return because("another program was sent into the same folder meanwhile");
  note.erase(0, kIncomplete.size());
  return write_private_file(note_of(work_dir), note);
}

fs::path set_up_note(const fs::path& work_dir) {
  return work_dir.string() + ".set-up";
}

}  // namespace lapcast
