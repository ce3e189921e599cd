#include "remote/program_files.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "core/units.h"
#include "remote/content_hash.h"
#include "remote/ignore_rules.h"
#include "remote/private_files.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;

constexpr const char* kIgnoreFile = ".lapcastignore";

/// The largest entries of the top folder, for a reason: "data (31.0 GiB), runs (2.1 GiB)".
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

/// One walk through a folder.
class Walk {
 public:
  Walk(fs::path top, IgnoreRules rules, std::vector<fs::path> left_out)
      : top_(std::move(top)), rules_(std::move(rules)), left_out_(std::move(left_out)) {}

  Result<ProgramFiles> look() {
    if (auto done = folder(""); !done) return tl::unexpected(done.error());
    std::sort(found_.begin(), found_.end());
    ProgramFiles files{top_, {}, bytes_, {}, {}};
    ContentHash hash;
    for (auto& [path, mark] : found_) {
      hash.add(path);
      hash.add(mark);
      files.paths.push_back(std::move(path));
    }
    files.content = hash.hex();
    return files;
  }

 private:
  Result<void> folder(const std::string& path) {
    std::error_code error;
    fs::directory_iterator entries(top_ / path, error);
    if (error && path.empty())
      return because(fmt::format("cannot read the folder {}: {}", printable(top_.string()),
                                 error.message()));
    bool empty = true;
    for (const auto end = fs::directory_iterator(); !error && entries != end; entries.increment(error)) {
      const std::string name = entries->path().filename().string();
      auto taken = entry(path.empty() ? name : path + "/" + name);
      if (!taken) return tl::unexpected(taken.error());
      empty = empty && !*taken;
    }
    if (empty && !path.empty()) found_.emplace_back(path, 0);
    return {};
  }

  /// False for what is left out.
  Result<bool> entry(const std::string& path) {
    struct stat info {};
    const fs::path full = top_ / path;
    if (lstat(full.c_str(), &info) != 0) return false;  // gone meanwhile
    const bool is_folder = S_ISDIR(info.st_mode);
    if (!is_folder && !S_ISREG(info.st_mode) && !S_ISLNK(info.st_mode)) return false;
    if (rules_.ignores(path, is_folder) || is_left_out(full)) return false;
    if (is_folder) {
      auto done = folder(path);
      if (!done) return tl::unexpected(done.error());
      return true;
    }
    found_.emplace_back(path, mark_of(info));
    bytes_ += info.st_size;
    sizes_[path.substr(0, path.find('/'))] += info.st_size;
    if (bytes_ <= kMostProgramBytes && found_.size() <= kMostProgramFiles) return true;
    return because(fmt::format(
        "the folder {} is too large to be sent ({}, {} files so far): {}; name what is no part of the "
        "program in its {}, and data in [[data]] of the fleet file",
        printable(top_.string()), format_bytes(bytes_), found_.size(), largest(sizes_), kIgnoreFile));
  }

  bool is_left_out(const fs::path& path) const {
    return std::find(left_out_.begin(), left_out_.end(), path) != left_out_.end();
  }

  static std::uint64_t mark_of(const struct stat& info) {
    ContentHash hash;
    hash.add(static_cast<std::uint64_t>(info.st_size));
    hash.add(static_cast<std::uint64_t>(info.st_mode));
    hash.add(static_cast<std::uint64_t>(info.st_mtim.tv_sec));
    hash.add(static_cast<std::uint64_t>(info.st_mtim.tv_nsec));
    return std::strtoull(hash.hex().c_str(), nullptr, 16);
  }

  fs::path top_;
  IgnoreRules rules_;
  std::vector<fs::path> left_out_;
  std::vector<std::pair<std::string, std::uint64_t>> found_;
  std::int64_t bytes_ = 0;
  std::map<std::string, std::int64_t> sizes_;
};

Result<void> check_folder(const fs::path& folder) {
  std::error_code ignored;
  const char* home = std::getenv("HOME");
  const fs::path home_folder = home == nullptr ? fs::path() : fs::weakly_canonical(home, ignored);
  const std::string inside = folder.string() + (folder == "/" ? "" : "/");
  if (folder != "/" && folder != home_folder && !home_folder.string().starts_with(inside)) return {};
  return because(fmt::format("lapcast does not send {}, where everything of yours lies; put the "
                             "program into a folder of its own and start lapcast there",
                             folder == "/" ? "the whole file system" : printable(folder.string())));
}

/// Its own name, as far as no file system minds, and where it is.
std::string name_there(const fs::path& folder) {
  std::string name;
  for (const char c : folder.filename().string())
    name += std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' ? c : '_';
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  ContentHash hash;
  hash.add(host);
  hash.add(std::to_string(geteuid()));
  hash.add(folder.string());
  return name.substr(0, 40) + "-" + hash.hex();
}

/// Size and time of all that is sent of a data set: one hash.
void add_data(ContentHash& hash, const fs::path& path) {
  std::error_code error;
  const auto add = [&](const fs::path& file) {
    struct stat info {};
    if (lstat(file.c_str(), &info) != 0 || S_ISDIR(info.st_mode)) return;
    hash.add(file.string());
    hash.add(static_cast<std::uint64_t>(info.st_size));
    hash.add(static_cast<std::uint64_t>(info.st_mtim.tv_sec));
    hash.add(static_cast<std::uint64_t>(info.st_mtim.tv_nsec));
  };
  std::vector<fs::path> files{path};
  for (fs::recursive_directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error))
    files.push_back(entry->path());
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) add(file);
}

}  // namespace

Result<ProgramFiles> program_files(const fs::path& folder, const std::vector<DataSet>& data,
                                   const std::vector<fs::path>& left_out) {
  std::error_code error;
  const fs::path top = fs::canonical(folder, error);
  if (error)
    return because(fmt::format("cannot read the folder {}: {}", printable(folder.string()),
                               error.message()));
  if (auto fits = check_folder(top); !fits) return tl::unexpected(fits.error());
  IgnoreRules rules = IgnoreRules::defaults();
  rules.add(read_private_file(top / kIgnoreFile, 1 << 20));
  std::vector<fs::path> excluded = left_out;
  for (const DataSet& set : data) excluded.push_back((top / set.path).lexically_normal());
  Result<ProgramFiles> files = Walk(top, std::move(rules), std::move(excluded)).look();
  if (!files) return files;
  files->name = name_there(top);
  ContentHash hash;
  hash.add(files->content);
  for (const DataSet& set : data)
    if (set.source == DataSource::send) add_data(hash, top / set.path);
  files->content = hash.hex();
  return files;
}

}  // namespace lapcast
