#include "probe/cpu_quota.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <set>
#include <utility>

#include "discover/system_cgroup.h"
#include "machine/proc_text.h"
#include "posix/files.h"
#include "probe/processes.h"

namespace lapcast {
namespace {

constexpr int kTries = 100;  // of 10 ms: a killed process takes a moment to leave
constexpr useconds_t kPause = 10'000;

/// Locks a directory for this process. Returns a descriptor that is not open when another process
/// has the lock, or when the directory was removed meanwhile.
FileDescriptor lock_directory(const std::string& directory) {
  FileDescriptor fd(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  struct stat opened {
  }, named{};
  const bool locked = flock(fd.get(), LOCK_EX | LOCK_NB) == 0 && fstat(fd.get(), &opened) == 0 &&
                      stat(directory.c_str(), &named) == 0 && opened.st_ino == named.st_ino;
  if (!locked) fd.reset();
  return fd;
}

/// Returns whether a name is "lapcast-PID-N", which is how lapcast names its cgroups; the names of
/// other programs may begin with "lapcast-" too.
bool is_name_of_ours(const std::string& name) {
  const auto parts = split(name, '-');
  return parts.size() == 3 && parts[0] == "lapcast" && parse_integer(parts[1]) &&
         parse_integer(parts[2]);
}

int kill_members(const std::string& directory) {
  std::set<pid_t> seen;
  for (int i = 0; i < kTries; ++i) {
    std::vector<pid_t> pids = processes_in(directory);
    std::erase(pids, getpid());
    if (pids.empty()) break;
    seen.insert(pids.begin(), pids.end());
    if (write_system_file(directory + "/cgroup.kill", "1") != 0)  // version 2, Linux 5.14 on
      for (const pid_t pid : pids)
        kill_if(pid, [&] { return std::ranges::count(processes_in(directory), pid) > 0; });
    usleep(i == 0 ? 1'000 : kPause);
  }
  return static_cast<int>(seen.size());
}

bool remove_directory(const std::string& directory, const CgroupKernel& kernel) {
  for (int i = 0; i < kTries; ++i) {
    const int error = kernel.remove(directory);
    if (error == 0 || error == ENOENT) return true;
    if (error != EBUSY) return false;
    usleep(kPause);
  }
  return false;
}

constexpr double kLeastCpus = 0.001;
constexpr double kPeriodUs = 10'000;
constexpr double kLeastQuotaUs = 1'000;  // the kernel's min_cfs_quota_period

const char* limit_file(int version) {
  return version == 2 ? "/cpu.max" : "/cpu.cfs_quota_us";
}

/// Writes the limits of a quota. Returns 0 or errno.
int write_quota(const std::string& directory, int version, double cpus) {
  const double period_us = std::clamp(std::ceil(kLeastQuotaUs / cpus), kPeriodUs, 1e6);
  const std::string period = fmt::format("{:.0f}", period_us);
  const std::string quota = std::to_string(std::llround(cpus * period_us));
  if (version == 2) return write_system_file(directory + "/cpu.max", quota + " " + period);
  const int error = write_system_file(directory + "/cpu.cfs_period_us", period);
  return error != 0 ? error : write_system_file(directory + "/cpu.cfs_quota_us", quota);
}

tl::unexpected<Reason> refused(const std::string& what, int error) {
  const std::string hint =
      error == EINVAL ? "; is it more than a cgroup above this process allows?" : "";
  return because("no CPU quota can be set: " + what + ": " + std::strerror(error) + hint);
}

}  // namespace

const CgroupKernel& CgroupKernel::real() {
  static const CgroupKernel kernel{
      [](const std::string& path) { return mkdir(path.c_str(), 0755) == 0 ? 0 : errno; },
      [](const std::string& path) { return rmdir(path.c_str()) == 0 ? 0 : errno; }};
  return kernel;
}

Result<std::unique_ptr<Cgroup>> Cgroup::create(const std::string& parent,
                                               const CgroupKernel& kernel) {
  static std::atomic<int> count{0};
  for (int i = 0; i < kTries; ++i) {
    const std::string directory = fmt::format("{}/lapcast-{}-{}", parent, getpid(), ++count);
    const int error = kernel.make(directory);
    if (error == EEXIST) continue;  // left by a process that had this number before
    if (error != 0)
      return because("no cgroup can be made in " + parent + ": " + std::strerror(error));
    FileDescriptor lock = lock_directory(directory);
    if (!lock.is_open()) continue;  // another lapcast is checking whether it is stale
    std::unique_ptr<Cgroup> made(new Cgroup(directory, std::move(lock), kernel));
    made->procs_ =
        FileDescriptor(open((directory + "/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC));
    if (!made->procs_.is_open())
      return because("no process can be put into " + directory + ": " + std::strerror(errno));
    return made;
  }
  return because("no cgroup can be made in " + parent + ": too many stale ones");
}

Cgroup::~Cgroup() {
  kill_all();
  procs_.reset();
  remove_directory(directory_, kernel_);
}

int Cgroup::kill_all() const {
  return kill_members(directory_);
}

std::vector<pid_t> processes_in(const std::string& directory) {
  std::vector<pid_t> pids;
  const std::string text = text_of_file(directory + "/cgroup.procs");
  for (const std::string_view line : split(text, '\n')) {
    const auto pid = parse_integer(line);
    if (pid && *pid > 1) pids.push_back(static_cast<pid_t>(*pid));  // 0: of another namespace
  }
  return pids;
}

Result<CpuQuota> CpuQuota::create(double cpus, const std::string& root,
                                  const CgroupKernel& kernel) {
  if (!(cpus >= kLeastCpus && cpus <= 8192)) {
    return because("no CPU quota can be set: it has to be from 0.1 % of a CPU to all CPUs");
  }
  const auto parent = find_quota_parent(root);
  if (!parent) return tl::unexpected(parent.error());
  if (parent->enable_cpu) {
    const int error = write_system_file(parent->directory + "/cgroup.subtree_control", "+cpu");
    if (error != 0) return refused("the cpu controller stays off in " + parent->directory, error);
  }
  auto group = Cgroup::create(parent->directory, kernel);
  if (!group) return because("no CPU quota can be set: " + group.error().text);
  const std::string& directory = (*group)->directory();
  const int error = write_quota(directory, parent->version, cpus);
  if (error != 0) return refused("the kernel does not take it in " + directory, error);
  const std::string limit = read_system_line(directory + limit_file(parent->version));
  return CpuQuota(std::move(*group), parent->version, limit);
}

Result<void> CpuQuota::check_unchanged() const {
  if (!group_ || read_system_line(directory() + limit_file(version_)) == limit_) return {};
  return because(
      "the CPU quota was taken away or changed while the program ran, by something else that "
      "manages " +
      directory());
}

void CpuQuota::release(const std::string& root) const {
  const auto own = group_ ? find_cgroup("cpu", root) : std::nullopt;
  if (!own) return;
  const std::string members = directories_upwards(*own, root).front() + "/cgroup.procs";
  for (int i = 0; i < kTries; ++i) {  // a process may fork meanwhile
    const std::vector<pid_t> pids = processes_in(directory());
    if (pids.empty()) return;
    for (const pid_t pid : pids) write_system_file(members, std::to_string(pid));
  }
}

int CpuQuota::remove_stale(const std::string& root, const CgroupKernel& kernel) {
  int removed = 0;
  std::set<std::string> parents;
  for (const char* controller : {"cpu", "memory"})
    if (const auto place = find_cgroup(controller, root))
      for (std::string& parent : directories_upwards(*place, root))
        parents.insert(std::move(parent));
  for (const std::string& parent : parents)
    for (const std::string& name : list_system_directory(parent)) {
      const std::string directory = parent + "/" + name;
      if (!is_name_of_ours(name)) continue;
      const FileDescriptor lock = lock_directory(directory);
      if (!lock.is_open()) continue;
      kill_members(directory);
      if (remove_directory(directory, kernel)) ++removed;
    }
  return removed;
}

}  // namespace lapcast
