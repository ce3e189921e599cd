#include "remote/program_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/hash.h"
#include "core/units.h"
#include "posix/files.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;

using OpenFolder = std::unique_ptr<DIR, decltype([](DIR* folder) { closedir(folder); })>;

/// Opens a folder, but not a link in its place. Returns nothing and sets errno if that fails.
OpenFolder open_folder(int above, const char* name) {
  const int fd = openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  DIR* folder = fd < 0 ? nullptr : fdopendir(fd);
  if (folder == nullptr && fd >= 0) close(fd);
  return OpenFolder(folder);
}

/// Returns the next name in a folder, without "." and ".."; none at the end (errno 0) or after an
/// error.
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
  if (S_ISLNK(mode)) return FileKind::link;
  return S_ISREG(mode) ? std::optional(FileKind::file) : std::nullopt;
}

/// Returns the largest entries of the top folder, for a reason: "data (31.0 GiB), runs (2.1 GiB)".
std::string largest(const std::map<std::string, std::int64_t>& sizes) {
  std::vector<std::pair<std::int64_t, std::string>> order;
  for (const auto& [name, bytes] : sizes) order.emplace_back(bytes, name);
  std::sort(order.rbegin(), order.rend());
  std::vector<std::string> texts;
  for (const auto& [bytes, name] : std::span(order).first(std::min<std::size_t>(3, order.size())))
    texts.push_back(fmt::format("{} ({})", printable(name, 60), format_bytes(bytes)));
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// Walks once through a folder. Opens each folder relative to the one above, so that a folder that
/// becomes a link meanwhile is not entered.
class Walk {
 public:
  explicit Walk(const ListRequest& request) : request_(request) {}

  Result<FileList> run() {
    const fs::path start = request_.folder / request_.start;
    struct stat info {};
    if (lstat(start.c_str(), &info) != 0) return cannot_read(request_.start, errno);
    Result<void> done;
    if (const auto kind = kind_of(info.st_mode))
      add(request_.start, *kind, info);
    else
      done = folder(open_folder(AT_FDCWD, start.c_str()), request_.start, info);
    return done.and_then([&] { return check_size(); }).map([&] { return result(); });
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
    if (!empty && !path.empty()) marks_.emplace_back(path, info.st_mode);
    return {};
  }

  Result<void> entry(int above, const std::string& name, const std::string& path) {
    struct stat info {};
    if (fstatat(above, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return {};  // gone meanwhile
    const bool is_folder = S_ISDIR(info.st_mode);
    const auto kind = kind_of(info.st_mode);
    const bool is_left_out = std::ranges::count(request_.left_out, request_.folder / path) > 0;
    if ((!is_folder && !kind) || is_left_out) return {};
    const Ignored why = request_.rules.why_ignored(path, is_folder);
    if (why != Ignored::no && why != Ignored::by_user) list_.unsent.push_back({path, why});
    if (why != Ignored::no) return {};
    if (is_folder) return folder(open_folder(above, name.c_str()), path, info);
    add(path, *kind, info);
    return check_size();
  }

  void add(const std::string& path, FileKind kind, const struct stat& info) {
    const bool is_folder = kind == FileKind::empty_folder;
    const std::int64_t bytes = is_folder ? 0 : info.st_size;
    list_.files.push_back({path, kind, bytes});
    list_.bytes += bytes;
    sizes_[path.substr(0, path.find('/'))] += bytes;
    marks_.emplace_back(path, is_folder ? info.st_mode : mark_of(info));
  }

  Result<void> check_size() const {
    if (list_.bytes <= request_.most_bytes && list_.files.size() <= request_.most_files) return {};
    return because(
        fmt::format("the folder {} is too large to be sent ({}, {} files so far): {}; name what is "
                    "no part of the program in its .lapcastignore, and data in [[data]] of the "
                    "fleet file",
                    printable(request_.folder.string()), format_bytes(list_.bytes),
                    list_.files.size(), largest(sizes_)));
  }

  tl::unexpected<Reason> cannot_read(const std::string& path, int error) const {
    return because(fmt::format("cannot read {}, which would be sent: {}",
                               printable((request_.folder / path).string()), std::strerror(error)));
  }

  static std::uint64_t mark_of(const struct stat& info) {
    ContentHash hash;
    hash.add(static_cast<std::uint64_t>(info.st_size));
    hash.add(static_cast<std::uint64_t>(info.st_mode));
    hash.add(static_cast<std::uint64_t>(info.st_mtim.tv_sec));
    hash.add(static_cast<std::uint64_t>(info.st_mtim.tv_nsec));
    return std::strtoull(hash.hex().c_str(), nullptr, 16);
  }

  FileList result() {
    std::ranges::sort(list_.files, {}, &ListedFile::path);
    std::ranges::sort(list_.unsent, {}, &UnsentFile::path);
    std::ranges::sort(marks_);
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

// Programs ----------------------------------------------------------------------------------------

constexpr const char* kIgnoreFile = ".lapcastignore";
constexpr std::string_view kListFormat = "list 2";  // part of the hash

Result<void> check_folder(const fs::path& folder) {
  std::error_code ignored;
  const char* home = std::getenv("HOME");
  const fs::path home_folder = home == nullptr ? fs::path() : fs::weakly_canonical(home, ignored);
  const std::string inside = folder.string() + (folder == "/" ? "" : "/");
  if (folder != "/" && folder != home_folder && !home_folder.string().starts_with(inside))
    return {};
  return because(
      fmt::format("lapcast does not send {}, where everything of yours lies; put the "
                  "program into a folder of its own and start lapcast there",
                  folder == "/" ? "the whole file system" : printable(folder.string())));
}

/// Returns the text of the folder's .lapcastignore, empty if there is none. Fails if it cannot be
/// read, since the files that it names must not leave this machine.
Result<std::string> ignore_text(const fs::path& top) {
  constexpr std::size_t kMostBytes = 1 << 20;
  const fs::path file = top / kIgnoreFile;
  struct stat info {};
  if (lstat(file.c_str(), &info) != 0 && errno == ENOENT) return std::string();
  if (access(file.c_str(), R_OK) != 0)
    return because(
        fmt::format("cannot read {}: {}", printable(file.string()), std::strerror(errno)));
  std::string text = text_of_file(file, kMostBytes + 1);
  if (stat(file.c_str(), &info) != 0 || !S_ISREG(info.st_mode) || text.size() > kMostBytes ||
      static_cast<std::int64_t>(text.size()) != info.st_size)
    return because(fmt::format("{} is not a file of at most 1 MiB", printable(file.string())));
  return text;
}

/// Returns absolute paths that are not part of the program: `left_out`, the data sets, and the
/// links above data sets that are sent, since the remote machine has folders in their places.
std::vector<fs::path> not_of_program(const fs::path& top, const std::vector<DataSet>& data,
                                     std::vector<fs::path> left_out) {
  for (const DataSet& set : data) {
    const std::string path = data_path(set);
    std::error_code ignored;
    const fs::path full = top / path;
    left_out.push_back(full);
    left_out.push_back(fs::weakly_canonical(full.parent_path(), ignored) / full.filename());
    if (set.source != DataSource::send || full == path) continue;
    for (fs::path above = fs::path(path).parent_path(); !above.empty(); above = above.parent_path())
      if (fs::is_symlink(top / above, ignored)) left_out.push_back(top / above);
  }
  return left_out;
}

Result<SentData> sent_data(const fs::path& top, const DataSet& set, const IgnoreRules& rules,
                           const std::vector<fs::path>& left_out) {
  const std::string path = data_path(set);
  std::error_code error;
  const fs::path full = top / path;
  if (!fs::exists(fs::symlink_status(full, error)))
    return because(
        fmt::format("the data set {} is not here, so it cannot be sent", printable(full.string())));
  if (auto fits = check_folder(fs::weakly_canonical(full, error)); !fits)
    return tl::unexpected(fits.error());
  const bool absolute = full == path;
  return list_files({.folder = absolute ? full.parent_path() : top,
                     .start = absolute ? full.filename().string() : path,
                     .rules = rules,
                     .left_out = left_out})
      .map([&](FileList&& list) {
        return SentData{path, std::move(list)};
      });
}

}  // namespace

Result<FileList> list_files(const ListRequest& request) {
  return Walk(request).run();
}

std::int64_t bytes_below(const fs::path& path) {
  return bytes_in(AT_FDCWD, path.c_str());
}

std::vector<fs::path> store_files(const fs::path& store) {
  std::vector<fs::path> files;
  for (const char* end : {"", "-wal", "-shm", "-journal", "-lock"})
    files.push_back(store.string() + end);
  return files;
}

std::string data_path(const DataSet& set) {
  std::string path = fs::path(set.path).lexically_normal().string();
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

std::string work_name(const fs::path& folder) {
  std::error_code ignored;
  const fs::path top = fs::weakly_canonical(folder, ignored);
  std::string name = top.filename().string();
  for (char& c : name)  // only letters that every file system takes
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-') c = '_';
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  ContentHash hash;
  hash.add(host);
  hash.add(std::to_string(geteuid()));
  hash.add(top.string());
  return name.substr(0, 40) + "-" + hash.hex();
}

Result<ProgramFiles> program_files(const fs::path& folder, const std::vector<DataSet>& data,
                                   const std::vector<fs::path>& left_out) {
  std::error_code error;
  const fs::path top = fs::canonical(folder, error);
  if (error)
    return because(
        fmt::format("cannot read the folder {}: {}", printable(folder.string()), error.message()));
  if (auto fits = check_folder(top); !fits) return tl::unexpected(fits.error());
  const Result<std::string> ignored = ignore_text(top);
  if (!ignored) return tl::unexpected(ignored.error());
  IgnoreRules rules = IgnoreRules::defaults(), of_data = IgnoreRules::secrets();
  for (const auto& added : {rules.add(*ignored), of_data.add_exceptions(*ignored)})
    if (!added)
      return because(
          fmt::format("{}: {}", printable((top / kIgnoreFile).string()), added.error().text));
  auto program = list_files({.folder = top,
                             .rules = std::move(rules),
                             .left_out = not_of_program(top, data, left_out),
                             .most_bytes = kMostProgramBytes,
                             .most_files = kMostProgramFiles});
  if (!program) return tl::unexpected(program.error());
  ProgramFiles files{std::move(*program), {}, {}, {}, work_name(top)};
  ContentHash hash;
  hash.add(kListFormat);
  hash.add(files.program.content);
  for (const DataSet& set : data) {
    files.data_paths.push_back(data_path(set));
    if (set.source != DataSource::send) continue;
    auto sent = sent_data(top, set, of_data, left_out);
    if (!sent) return tl::unexpected(sent.error());
    hash.add(sent->path);
    hash.add(sent->list.content);
    files.data.push_back(std::move(*sent));
  }
  files.content = hash.hex();
  return files;
}

std::string unsent_warning(const ProgramFiles& files) {
  constexpr std::size_t kMostNames = 8;
  std::vector<UnsentFile> unsent = files.program.unsent;
  for (const SentData& set : files.data)
    unsent.insert(unsent.end(), set.list.unsent.begin(), set.list.unsent.end());
  if (unsent.empty()) return "";
  std::ranges::stable_sort(unsent, {}, &UnsentFile::why);
  std::vector<std::string> names;
  for (const UnsentFile& file : unsent) names.push_back(printable(file.path, 80));
  return fmt::format(
      "not sent, by lapcast's default rules: {}; to send one, write !NAME into .lapcastignore",
      short_list(names, kMostNames));
}

}  // namespace lapcast
