#include "probe/foreign_files.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>

#include "machine/proc_text.h"
#include "machine/system_file.h"
#include "posix/descendants.h"
#include "posix/private_files.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t kMostFiles = 100;  // enough for a warning

/// Returns the flags of an open file as /proc tells them, octal; those of reading when not known.
int open_flags(const fs::path& fdinfo) {
  std::ifstream file(fdinfo);
  for (std::string key, value; file >> key >> value;)
    if (key == "flags:") return static_cast<int>(std::strtol(value.c_str(), nullptr, 8));
  return O_RDONLY;
}

/// Returns the files that a process holds open for writing, as far as it lets us see them.
std::vector<std::string> written_by(const std::string& process) {
  std::vector<std::string> files;
  std::error_code error;
  for (auto fd = fs::directory_iterator("/proc/" + process + "/fd", error);
       !error && fd != fs::directory_iterator(); fd.increment(error)) {
    std::error_code closed;
    const fs::path target = fs::read_symlink(fd->path(), closed);
    const int flags = open_flags("/proc/" + process + "/fdinfo/" + fd->path().filename().string());
    if (!closed && target.is_absolute() && (flags & O_ACCMODE) != O_RDONLY)
      files.push_back(target.string());
  }
  return files;
}

}  // namespace

ForeignFiles::ForeignFiles(fs::path working_dir, std::vector<std::string> own_prefixes)
    : working_dir_(std::move(working_dir)), own_prefixes_(std::move(own_prefixes)) {
  for (const char* system : {"/dev/", "/proc/", "/sys/", "/run/", "/memfd:"})
    own_prefixes_.emplace_back(system);
  // Where others may write too, a new file says nothing of who wrote it.
  is_alone_ = is_own_path(working_dir_, S_IFDIR, Forbidden::writing);
  before_ = files_of_working_dir();
}

bool ForeignFiles::is_own(const fs::path& file) const {
  return std::any_of(own_prefixes_.begin(), own_prefixes_.end(),
                     [&](const std::string& prefix) { return file.native().starts_with(prefix); });
}

/// Returns the times of the files, to be compared with themselves later, not with a clock: the
/// kernel stamps files by one that lags.
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
  std::vector<pid_t> processes{leader};
  for (std::size_t i = 0; i < processes.size() && i < 64; ++i) {
    for (const std::string& file : written_by(std::to_string(processes[i])))
      if (!is_own(file) && found_.size() < kMostFiles) found_.insert(file);
    for (const pid_t child : children_of(processes[i])) processes.push_back(child);
  }
}

std::vector<std::string> ForeignFiles::finish() {
  std::set<std::string> changed;
  if (is_alone_)
    for (const auto& [file, time] : files_of_working_dir()) {
      const auto known = before_.find(file);
      if (known == before_.end() || known->second != time) changed.insert(file);
    }
  if (!changed.empty())  // such as the output of this process, or the log of a server
    for (const std::string& name : list_system_directory("/proc"))
      if (parse_integer(name))
        for (const std::string& file : written_by(name)) changed.erase(file);
  for (const std::string& file : changed)
    if (found_.size() < kMostFiles) found_.insert(file);
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
