#include "posix/descendants.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

namespace lapcast {
namespace {

constexpr int kMostRounds = 100;  // a program that forks faster than it can be stopped

void signal_all(const std::vector<pid_t>& processes, int signal) {
  for (const pid_t pid : processes) kill(pid, signal);
}

}  // namespace

std::vector<pid_t> children_of(pid_t process) {
  std::vector<pid_t> found;
  std::error_code gone;
  const std::filesystem::path tasks = fmt::format("/proc/{}/task", process);
  for (auto task = std::filesystem::directory_iterator(tasks, gone);
       !gone && task != std::filesystem::directory_iterator(); task.increment(gone)) {
    std::ifstream file(task->path() / "children");
    for (pid_t pid; file >> pid;) found.push_back(pid);
  }
  return found;
}

int kill_children(const std::function<bool(pid_t)>& wanted,
                  const std::function<void(const rusage&)>& reaped) {
  int found = 0;
  // Killing a process hands its own children to us: look again until there are none.
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

std::vector<pid_t> descendants() {
  std::vector<pid_t> found = children_of(getpid());
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::vector<pid_t> children = children_of(found[i]);
    found.insert(found.end(), children.begin(), children.end());
  }
  return found;
}

std::vector<pid_t> suspend_descendants() {
  std::set<pid_t> stopped;
  for (int round = 0; round < kMostRounds; ++round) {
    std::vector<pid_t> fresh = descendants();
    std::erase_if(fresh, [&](pid_t pid) { return stopped.contains(pid); });
    if (fresh.empty()) break;
    signal_all(fresh, SIGSTOP);
    stopped.insert(fresh.begin(), fresh.end());
  }
  return {stopped.begin(), stopped.end()};
}

void resume_descendants() {
  signal_all(descendants(), SIGCONT);
}

std::optional<std::int64_t> peak_memory_of(const std::vector<pid_t>& processes) {
  std::optional<std::int64_t> most;
  for (const pid_t pid : processes) {
    std::ifstream status(fmt::format("/proc/{}/status", pid));
    for (std::string word; status >> word;) {
      if (word != "VmHWM:") continue;
      std::int64_t kilobytes = 0;
      if (status >> kilobytes) most = std::max(most.value_or(0), kilobytes * 1024);
      break;
    }
  }
  return most;
}

}  // namespace lapcast
