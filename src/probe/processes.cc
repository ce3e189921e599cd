#include "probe/processes.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <string_view>
#include <vector>

#include "machine/proc_text.h"
#include "machine/system_file.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;

constexpr int kMostKillRounds = 100;  // a program may fork faster than it is killed
constexpr useconds_t kKillPause = 2'000;
constexpr std::size_t kMostEnvironment = 8 << 20;

/// Returns the fields of /proc/PID/stat from the state on; the name before them may hold anything.
std::vector<std::string_view> fields_of(std::string_view stat) {
  const std::size_t end_of_name = stat.rfind(')');
  if (end_of_name == std::string_view::npos || end_of_name + 2 > stat.size()) return {};
  return split(stat.substr(end_of_name + 2), ' ');
}

bool is_same_folder(const fs::path& a, const fs::path& b) {
  struct stat one {
  }, other{};
  return lstat(a.c_str(), &one) == 0 && lstat(b.c_str(), &other) == 0 &&
         one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

/// Returns whether "NAME=FOLDER/..." names this run folder, however its path is written.
bool names_folder(std::string_view entry, const fs::path& run_folder) {
  if (!entry.starts_with("LAPCAST_RUN_DIR=") && !entry.starts_with("LAPCAST_LOG_DIR="))
    return false;
  const fs::path folder = fs::path(entry.substr(entry.find('=') + 1)).parent_path();
  return folder.filename() == run_folder.filename() && is_same_folder(folder, run_folder);
}

bool is_of(pid_t pid, const fs::path& run_folder) {
  struct stat info {};
  const std::string process = fmt::format("/proc/{}", pid);
  if (stat(process.c_str(), &info) != 0 || info.st_uid != geteuid()) return false;
  const auto environment = read_system_file(process + "/environ", kMostEnvironment);
  if (!environment) return false;
  const auto entries = split(*environment, '\0');
  return std::any_of(entries.begin(), entries.end(),
                     [&](std::string_view entry) { return names_folder(entry, run_folder); });
}

}  // namespace

std::optional<std::int64_t> start_ticks_of(pid_t pid) {
  const std::string stat = read_system_file(fmt::format("/proc/{}/stat", pid)).value_or("");
  const auto fields = fields_of(stat);
  constexpr std::size_t kStart = 22 - 3;  // field 3 is the state
  if (fields.size() <= kStart || fields[0] == "Z" || fields[0] == "X") return std::nullopt;
  return parse_integer(fields[kStart]);
}

bool has_ended(pid_t pid, std::optional<std::int64_t> start_ticks) {
  if (pid <= 0) return false;
  if (kill(pid, 0) != 0 && errno == ESRCH) return true;
  if (access("/proc/self/stat", R_OK) != 0) return false;  // not known
  const auto started = start_ticks_of(pid);
  return !started || (start_ticks && *start_ticks != *started);
}

bool kill_if(pid_t pid, const std::function<bool()>& is_it) {
  const int fd = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (fd < 0) return errno == ENOSYS && is_it() && kill(pid, SIGKILL) == 0;  // before Linux 5.3
  const bool killed = is_it() && syscall(SYS_pidfd_send_signal, fd, SIGKILL, nullptr, 0) == 0;
  close(fd);
  return killed;
}

bool kill_processes_of(const fs::path& run_folder) {
  if (is_of(getpid(), run_folder)) return false;
  for (int round = 0; round < kMostKillRounds; ++round) {
    bool any = false;
    for (const std::string& name : list_system_directory("/proc")) {
      const auto pid = parse_integer(name);
      if (!pid || !is_of(static_cast<pid_t>(*pid), run_folder)) continue;
      any = kill_if(static_cast<pid_t>(*pid),
                    [&] { return is_of(static_cast<pid_t>(*pid), run_folder); }) ||
            any;
    }
    if (!any) return true;
    usleep(kKillPause);
  }
  return true;
}

}  // namespace lapcast
