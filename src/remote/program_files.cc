#include "remote/program_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "core/hash.h"
#include "core/units.h"
#include "posix/private_files.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;

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

/// Returns the text of the folder's .lapcastignore, empty where there is none. One that cannot be
/// read is a reason: what it names must not leave.
Result<std::string> ignore_text(const fs::path& top) {
  constexpr std::size_t kMostBytes = 1 << 20;
  const fs::path file = top / kIgnoreFile;
  struct stat info {};
  if (lstat(file.c_str(), &info) != 0 && errno == ENOENT) return std::string();
  if (access(file.c_str(), R_OK) != 0)
    return because(
        fmt::format("cannot read {}: {}", printable(file.string()), std::strerror(errno)));
  std::string text = read_private_file(file, kMostBytes + 1);
  if (stat(file.c_str(), &info) != 0 || !S_ISREG(info.st_mode) || text.size() > kMostBytes ||
      static_cast<std::int64_t>(text.size()) != info.st_size)
    return because(fmt::format("{} is no file of at most 1 MiB", printable(file.string())));
  return text;
}

/// Returns the folders above a data set that are links here; they become folders there, for the
/// data.
std::vector<fs::path> links_above(const fs::path& top, const std::string& path) {
  std::vector<fs::path> links;
  std::error_code ignored;
  for (fs::path above = fs::path(path).parent_path(); !above.empty(); above = above.parent_path())
    if (fs::is_symlink(top / above, ignored)) links.push_back(top / above);
  return links;
}

/// Returns absolute paths that are no part of the program.
std::vector<fs::path> not_of_program(const fs::path& top, const std::vector<DataSet>& data,
                                     std::vector<fs::path> left_out) {
  for (const DataSet& set : data) {
    const std::string path = data_path(set);
    std::error_code ignored;
    const fs::path full = top / path;
    left_out.push_back(full);
    left_out.push_back(fs::weakly_canonical(full.parent_path(), ignored) / full.filename());
    if (set.source != DataSource::send || full == path) continue;
    for (fs::path& link : links_above(top, path)) left_out.push_back(std::move(link));
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
  auto list = list_files({.folder = absolute ? full.parent_path() : top,
                          .start = absolute ? full.filename().string() : path,
                          .rules = rules,
                          .left_out = left_out});
  if (!list) return tl::unexpected(list.error());
  return SentData{path, std::move(*list)};
}

}  // namespace

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
  std::string name;
  for (const char c : top.filename().string())  // only what no file system minds
    name += std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' ? c : '_';
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
  std::vector<std::string> names;
  for (const Ignored why : {Ignored::as_secret, Ignored::by_default}) {
    const auto add = [&](const FileList& list) {
      for (const UnsentFile& file : list.unsent)
        if (file.why == why) names.push_back(printable(file.path, 80));
    };
    add(files.program);
    for (const SentData& set : files.data) add(set.list);
  }
  if (names.empty()) return "";
  std::string text = "not sent, by lapcast's default rules: ";
  for (std::size_t i = 0; i < std::min(names.size(), kMostNames); ++i)
    text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > kMostNames) text += fmt::format(" and {} more", names.size() - kMostNames);
  return text + "; to send one, write !NAME into .lapcastignore";
}

}  // namespace lapcast
