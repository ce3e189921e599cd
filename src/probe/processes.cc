#include "probe/processes.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "machine/proc_text.h"
#include "posix/files.h"
#include "probe/ids_and_time.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;

constexpr int kMostRounds = 100;  // a program may fork faster than it is stopped or killed
constexpr useconds_t kKillPause = 2'000;
constexpr std::size_t kMostEnvironment = 8 << 20;

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
  const std::string environment = text_of_file(process + "/environ", kMostEnvironment);
  const auto entries = split(environment, '\0');
  return std::any_of(entries.begin(), entries.end(),
                     [&](std::string_view entry) { return names_folder(entry, run_folder); });
}

/// Sends SIGSTOP to all descendants, again until none is new: a stopped process cannot fork.
/// Returns the stopped processes.
std::set<pid_t> stop_descendants() {
  std::set<pid_t> stopped;
  for (int round = 0; round < kMostRounds; ++round) {
    bool any_new = false;
    for (const pid_t pid : descendants())
      if (stopped.insert(pid).second) {
        kill(pid, SIGSTOP);
        any_new = true;
      }
    if (!any_new) break;
  }
  return stopped;
}

/// Holds the third and the fourth field of /proc/PID/stat (proc(5)).
struct StateAndParent {
  char state = 0;
  pid_t parent = 0;  // 0 = the process is gone
};

StateAndParent state_and_parent(pid_t pid) {
  const std::string text = text_of_file(fmt::format("/proc/{}/stat", pid));
  StateAndParent found;
  const std::size_t name_end = text.rfind(')');
  if (name_end == text.npos || name_end + 2 >= text.size()) return found;
  std::istringstream(text.substr(name_end + 1)) >> found.state >> found.parent;
  return found;
}

/// Returns the lapcast that started this process; 0 where none did.
pid_t parent_lapcast() {
  std::error_code own_error, parent_error;
  const fs::path own = fs::read_symlink("/proc/self/exe", own_error);
  const fs::path other = fs::read_symlink(fmt::format("/proc/{}/exe", getppid()), parent_error);
  return !own_error && !parent_error && own == other ? getppid() : 0;
}

}  // namespace

bool is_stopped(pid_t pid) {
  return state_and_parent(pid).state == 'T';
}

bool is_of_same_lapcast(pid_t pid) {
  const pid_t lapcast = parent_lapcast();
  for (int steps = 0; lapcast > 0 && pid > 1 && steps < kMostRounds; ++steps) {
    if (pid == lapcast) return true;
    pid = state_and_parent(pid).parent;
  }
  return false;
}

std::optional<std::int64_t> start_ticks_of(pid_t pid) {
  const std::string stat = text_of_file(fmt::format("/proc/{}/stat", pid));
  const std::size_t end_of_name = stat.rfind(')');  // the name may hold anything
  if (end_of_name == std::string::npos) return std::nullopt;
  const auto fields = split(std::string_view(stat).substr(end_of_name + 1), ' ');
  constexpr std::size_t kState = 1, kStart = 20;  // fields 3 and 22 of the file
  if (fields.size() <= kStart || fields[kState] == "Z" || fields[kState] == "X")
    return std::nullopt;
  return parse_integer(fields[kStart]);
}

bool catches(pid_t pid, int signal) {
  const std::string status = text_of_file(fmt::format("/proc/{}/status", pid), 1 << 16);
  constexpr std::string_view kCaught = "\nSigCgt:\t";
  const std::size_t at = status.find(kCaught);
  if (at == std::string::npos || signal < 1 || signal > 64) return false;
  const unsigned long long mask = std::strtoull(status.c_str() + at + kCaught.size(), nullptr, 16);
  return ((mask >> (signal - 1)) & 1) != 0;
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
  bool any = true;
  for (int round = 0; any && round < kMostRounds; ++round) {
    any = false;
    for (const std::string& name : list_system_directory("/proc")) {
      const auto pid = static_cast<pid_t>(parse_integer(name).value_or(0));
      const auto is_it = [&] { return is_of(pid, run_folder); };
      if (pid > 0 && is_it() && kill_if(pid, is_it)) any = true;
    }
    if (any) usleep(kKillPause);
  }
  return true;
}

std::vector<pid_t> children_of(pid_t process) {
  std::vector<pid_t> found;
  const std::string tasks = fmt::format("/proc/{}/task/", process);
  for (const std::string& task : list_system_directory(tasks)) {
    const std::string children = text_of_file(tasks + task + "/children");
    for (const std::string_view child : split(children, ' '))
      if (const auto pid = parse_integer(child)) found.push_back(static_cast<pid_t>(*pid));
  }
  return found;
}

std::vector<pid_t> workers_among(const std::vector<pid_t>& processes) {
  constexpr std::string_view kOfMultiprocessing = "--multiprocessing-fork";
  const auto command_of = [](pid_t pid) {
    return text_of_file(fmt::format("/proc/{}/cmdline", pid), 1 << 16);
  };
  std::vector<pid_t> workers;
  for (const pid_t pid : processes) {
    const pid_t parent = state_and_parent(pid).parent;
    if (std::ranges::find(processes, parent) == processes.end()) continue;
    const std::string command = command_of(pid);  // a zombie has none
    const bool is_of_python = command.find(kOfMultiprocessing) != command.npos;
    if (!command.empty() && (is_of_python || command == command_of(parent))) workers.push_back(pid);
  }
  return workers;
}

std::vector<pid_t> descendants() {
  std::vector<pid_t> found = children_of(getpid());
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::vector<pid_t> children = children_of(found[i]);
    found.insert(found.end(), children.begin(), children.end());
  }
  return found;
}

int kill_children(const std::function<bool(pid_t)>& wanted,
                  const std::function<void(const rusage&)>& reaped) {
  int found = 0;
  // Killing a process hands its own children to this one, so the list is read until it is empty.
  for (int round = 0; round < kMostRounds; ++round) {
    std::vector<pid_t> children = children_of(getpid());
    std::erase_if(children, [&](pid_t child) { return !wanted(child); });
    if (children.empty()) break;
    for (const pid_t child : children) {
      kill(child, SIGKILL);
      rusage used{};
      if (wait4(child, nullptr, 0, &used) != child) continue;
      if (reaped) reaped(used);
      ++found;
    }
  }
  return found;
}

// The clock is read right after the signal to the group, whose processes make the laps.
void Suspension::begin(pid_t group, std::optional<MonotonicNs> idle_since_ns, bool with_queue) {
  kill(-group, SIGSTOP);
  begun_ns_ = idle_since_ns.value_or(monotonic_ns());
  with_queue_ = with_queue;
  active_ = true;
  peak_memory_bytes_ = 0;
  for (const pid_t pid : stop_descendants())
    peak_memory_bytes_ =
        std::max(peak_memory_bytes_,
                 find_kibibytes(text_of_file(fmt::format("/proc/{}/status", pid)), "VmHWM"));
}

void Suspension::end(pid_t group) {
  note_end();
  kill(-group, SIGCONT);
  for (const pid_t pid : descendants()) kill(pid, SIGCONT);
}

void Suspension::note_end() {
  pauses_.push_back({begun_ns_, monotonic_ns(), with_queue_});
  active_ = false;
}

Seconds Suspension::without_pauses(MonotonicNs from, MonotonicNs to) const {
  MonotonicNs paused = active_ ? to - begun_ns_ : 0;
  for (const Pause& pause : pauses_) paused += pause.end_ns - pause.begin_ns;
  return from_ns(to - from - paused);
}

}  // namespace lapcast
