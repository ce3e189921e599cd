#include "probe/cgroup.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <set>
#include <utility>

#include "machine/proc_text.h"
#include "machine/system_file.h"
#include "probe/processes.h"

namespace lapcast {
namespace {

constexpr int kTries = 100;  // of 10 ms: a killed process takes a moment to leave
constexpr useconds_t kPause = 10'000;
const std::string kPrefix = "lapcast-";

/// Locks a directory for this process. Not open when another process has it, or when it was removed
/// meanwhile.
FileDescriptor lock_directory(const std::string& directory) {
  FileDescriptor fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  struct stat opened {
  }, named{};
  const bool locked = ::flock(fd.get(), LOCK_EX | LOCK_NB) == 0 &&
                      ::fstat(fd.get(), &opened) == 0 && ::stat(directory.c_str(), &named) == 0 &&
                      opened.st_ino == named.st_ino;
  if (!locked) fd.reset();
  return fd;
}

/// Returns whether a name is "lapcast-PID-N", that of a group which a lapcast made; names of others
/// may begin with "lapcast-" too.
bool is_name_of_ours(const std::string& name) {
  if (!name.starts_with(kPrefix)) return false;
  const std::string_view rest = std::string_view(name).substr(kPrefix.size());
  const std::size_t dash = rest.find('-');
  return dash != std::string_view::npos && parse_integer(rest.substr(0, dash)) &&
         parse_integer(rest.substr(dash + 1));
}

bool is_in(const std::string& directory, pid_t pid) {
  const auto pids = processes_in(directory);
  return std::find(pids.begin(), pids.end(), pid) != pids.end();
}

int kill_members(const std::string& directory) {
  std::set<pid_t> seen;
  for (int i = 0; i < kTries; ++i) {
    std::vector<pid_t> pids = processes_in(directory);
    std::erase(pids, ::getpid());
    if (pids.empty()) break;
    seen.insert(pids.begin(), pids.end());
    if (write_system_file(directory + "/cgroup.kill", "1") != 0) {  // version 2, Linux 5.14 on
      for (const pid_t pid : pids) kill_if(pid, [&] { return is_in(directory, pid); });
    }
    ::usleep(i == 0 ? 1'000 : kPause);
  }
  return static_cast<int>(seen.size());
}

bool remove_directory(const std::string& directory, const CgroupKernel& kernel) {
  for (int i = 0; i < kTries; ++i) {
    const int error = kernel.remove(directory);
    if (error == 0 || error == ENOENT) return true;
    if (error != EBUSY) return false;
    ::usleep(kPause);
  }
  return false;
}

}  // namespace

const CgroupKernel& CgroupKernel::real() {
  static const CgroupKernel kernel{
      [](const std::string& path) { return ::mkdir(path.c_str(), 0755) == 0 ? 0 : errno; },
      [](const std::string& path) { return ::rmdir(path.c_str()) == 0 ? 0 : errno; }};
  return kernel;
}

Result<Cgroup> Cgroup::create(const std::string& parent, const CgroupKernel& kernel) {
  static std::atomic<int> count{0};
  for (int i = 0; i < kTries; ++i) {
    const std::string directory =
        parent + "/" + kPrefix + std::to_string(::getpid()) + "-" + std::to_string(++count);
    const int error = kernel.make(directory);
    if (error == EEXIST) continue;  // left by a process that had this number before
    if (error != 0)
      return because("no cgroup can be made in " + parent + ": " + std::strerror(error));
    FileDescriptor lock = lock_directory(directory);
    if (!lock.is_open()) continue;  // another lapcast is just looking whether it is stale
    FileDescriptor procs(::open((directory + "/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC));
    const int why = errno;
    Cgroup made(directory, std::move(lock), std::move(procs), kernel);
    if (!made.procs_.is_open())
      return because("no process can be put into " + directory + ": " + std::strerror(why));
    return made;
  }
  return because("no cgroup can be made in " + parent + ": too many stale ones");
}

Cgroup::Cgroup(std::string directory, FileDescriptor lock, FileDescriptor procs,
               const CgroupKernel& kernel)
    : directory_(std::move(directory)),
      lock_(std::move(lock)),
      procs_(std::move(procs)),
      kernel_(&kernel) {}

Cgroup& Cgroup::operator=(Cgroup&& other) noexcept {
  Cgroup taken(std::move(other));
  swap(taken);
  return *this;
}

void Cgroup::swap(Cgroup& other) noexcept {
  std::swap(directory_, other.directory_);
  std::swap(lock_, other.lock_);
  std::swap(procs_, other.procs_);
  std::swap(kernel_, other.kernel_);
}

Cgroup::~Cgroup() {
  if (directory_.empty()) return;
  kill_all();
  procs_.reset();
  remove_directory(directory_, *kernel_);
}

Result<bool> Cgroup::add(pid_t pid) const {
  const int error = write_system_file(directory_ + "/cgroup.procs", std::to_string(pid));
  if (error == 0) return true;
  return because("process " + std::to_string(pid) + " cannot be put into " + directory_ + ": " +
                 std::strerror(error));
}

int Cgroup::kill_all() const {
  return kill_members(directory_);
}

int remove_stale_cgroups(const std::string& parent, const CgroupKernel& kernel) {
  int removed = 0;
  for (const std::string& name : list_system_directory(parent)) {
    if (!is_name_of_ours(name)) continue;
    const std::string directory = parent + "/" + name;
    const FileDescriptor lock = lock_directory(directory);
    if (!lock.is_open()) continue;
    kill_members(directory);
    if (remove_directory(directory, kernel)) ++removed;
  }
  return removed;
}

std::vector<pid_t> processes_in(const std::string& directory) {
  std::vector<pid_t> pids;
  const std::string text = read_system_file(directory + "/cgroup.procs").value_or("");
  for (const std::string_view line : split(text, '\n')) {
    const auto pid = parse_integer(line);
    if (pid && *pid > 1) pids.push_back(static_cast<pid_t>(*pid));  // 0: of another namespace
  }
  return pids;
}

}  // namespace lapcast
