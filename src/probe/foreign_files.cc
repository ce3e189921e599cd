#include "probe/foreign_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>

namespace lapcast {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t kMostFiles = 100;  // enough for a warning

/// The flags of an open file as /proc tells them, octal; 0 when not known.
int open_flags(const fs::path& fdinfo) {
  std::ifstream file(fdinfo);
  for (std::string key, value; file >> key >> value;)
    if (key == "flags:") return static_cast<int>(std::strtol(value.c_str(), nullptr, 8));
  return 0;
}

std::vector<pid_t> children_of(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/task/{}/children", pid, pid));
  std::vector<pid_t> result;
  for (pid_t child; file >> child;) result.push_back(child);
  return result;
}

}  // namespace

ForeignFiles::ForeignFiles(fs::path working_dir, std::vector<std::string> own_prefixes)
    : working_dir_(std::move(working_dir)), own_prefixes_(std::move(own_prefixes)) {
  for (const char* system : {"/dev/", "/proc/", "/sys/", "/run/", "/memfd:"})
    own_prefixes_.emplace_back(system);
  before_ = files_of_working_dir();
}

bool ForeignFiles::is_own(const fs::path& file) const {
  return std::any_of(own_prefixes_.begin(), own_prefixes_.end(),
                     [&](const std::string& prefix) { return file.native().starts_with(prefix); });
}

/// Compared with itself later, not with a clock: the kernel stamps files by one that lags.
std::map<std::string, fs::file_time_type> ForeignFiles::files_of_working_dir() const {
  std::map<std::string, fs::file_time_type> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(working_dir_, error)) {
    if (is_own(entry.path()) || !entry.is_regular_file(error)) continue;
    const fs::file_time_type time = entry.last_write_time(error);
    if (!error) files[entry.path().string()] = time;
  }
  return files;
}

void ForeignFiles::look(pid_t leader) {
  std::vector<pid_t> open{leader};
  for (std::size_t i = 0; i < open.size() && i < 64; ++i) {
    const std::string process = fmt::format("/proc/{}", open[i]);
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(process + "/fd", error)) {
      const fs::path target = fs::read_symlink(entry.path(), error);
      if (error || !target.is_absolute() || is_own(target) || found_.size() >= kMostFiles) continue;
      const int flags = open_flags(process + "/fdinfo/" + entry.path().filename().string());
      if ((flags & O_ACCMODE) != O_RDONLY) found_.insert(target.string());
    }
    for (const pid_t child : children_of(open[i])) open.push_back(child);
  }
}

std::vector<std::string> ForeignFiles::finish() {
  for (const auto& [file, time] : files_of_working_dir()) {
    const auto known = before_.find(file);
    if (found_.size() < kMostFiles && (known == before_.end() || known->second != time))
      found_.insert(file);
  }
  return {found_.begin(), found_.end()};
}

bool says_resumed(const std::string& output) {
  constexpr std::string_view kPhrases[] = {
      "resuming from",       "resumed from",         "resume from",        "resuming at",
      "resuming training",   "resumed training",     "loading checkpoint", "loaded checkpoint",
      "restored checkpoint", "restoring checkpoint", "from checkpoint"};
  std::string head = output.substr(0, 64 * 1024);
  std::transform(head.begin(), head.end(), head.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::any_of(std::begin(kPhrases), std::end(kPhrases), [&](std::string_view phrase) {
    return head.find(phrase) != std::string::npos;
  });
}

}  // namespace lapcast
