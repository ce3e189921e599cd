#include "discover/system_cgroup.h"

#include <unistd.h>

#include <algorithm>

#include "machine/proc_text.h"
#include "posix/files.h"

namespace lapcast {
namespace {

bool writable(const std::string& path) {
  return access(path.c_str(), W_OK) == 0;
}
bool path_exists(const std::string& path) {
  return access(path.c_str(), F_OK) == 0;
}

bool carries(const CgroupMount& mount, const std::string& controller, const std::string& root) {
  if (mount.version == 2)
    return has_word(read_system_line(root + mount.mount_point + "/cgroup.controllers"), controller);
  return std::ranges::find(mount.controllers, controller) != mount.controllers.end();
}

std::optional<double> cpu_limit_of(const std::string& directory, int version) {
  return parse_cpu_max(version == 2 ? read_system_line(directory + "/cpu.max")
                                    : read_system_line(directory + "/cpu.cfs_quota_us") + ' ' +
                                          read_system_line(directory + "/cpu.cfs_period_us"));
}

std::optional<std::int64_t> memory_limit_of(const std::string& directory, int version) {
  const char* file = version == 2 ? "/memory.max" : "/memory.limit_in_bytes";
  return parse_memory_limit(read_system_line(directory + file));
}

template <class Limit>
auto tightest(const std::string& controller, const std::string& root, Limit limit_of) {
  decltype(limit_of("", 0)) least;
  if (const auto place = find_cgroup(controller, root)) {
    for (const std::string& directory : directories_upwards(*place, root)) {
      const auto limit = limit_of(directory, place->version);
      if (limit && (!least || *limit < *least)) least = limit;
    }
  }
  return least;
}

/// Returns what is left of a cgroup's limit of memory, files that can be dropped not counted; none
/// without a limit.
std::optional<std::int64_t> memory_left_in(const std::string& directory, int version) {
  const auto limit = memory_limit_of(directory, version);
  if (!limit) return std::nullopt;
  const char* used = version == 2 ? "/memory.current" : "/memory.usage_in_bytes";
  const std::string statistics = text_of_file(directory + "/memory.stat");
  const auto counter = [&](const std::string& key) {
    const auto text = find_field(statistics, (version == 2 ? "" : "total_") + key, ' ');
    return text ? parse_integer(*text).value_or(0) : 0;
  };
  const std::int64_t taken = parse_integer(read_system_line(directory + used)).value_or(0) -
                             counter("active_file") - counter("inactive_file");
  return std::max<std::int64_t>(0, *limit - std::max<std::int64_t>(0, taken));
}

bool can_hold_children(const std::string& directory) {
  return writable(directory) && writable(directory + "/cgroup.procs");
}

/// Returns whether a cgroup can give controllers to its children. Except for the real root, which
/// alone lacks cgroup.type, a cgroup may have either processes or such children (the
/// no-internal-process rule).
bool can_enable_cpu(const std::string& directory) {
  if (!has_word(read_system_line(directory + "/cgroup.controllers"), "cpu") ||
      !writable(directory + "/cgroup.subtree_control"))
    return false;
  return !path_exists(directory + "/cgroup.type") ||
         read_system_line(directory + "/cgroup.procs").empty();
}

bool cpu_is_enabled(const std::string& directory) {
  return has_word(read_system_line(directory + "/cgroup.subtree_control"), "cpu");
}

std::string why_no_parent(const CgroupPlace& place, const std::string& root) {
  const std::string& mount = place.mount_point;
  if (geteuid() != 0 && place.version == 2)
    return "this user may not make cgroups below " + mount +
           "; start lapcast with: systemd-run --user --scope -p Delegate=yes lapcast ..., or run "
           "it "
           "as root";
  if (geteuid() != 0) return "only root may make cgroups below " + mount + "; run lapcast as root";
  if (!writable(root + mount))
    return mount +
           " is read-only, as in a container; start the container with a writable cgroup file "
           "system, or run lapcast outside it";
  return "the cgroups above this process hold processes or lack the cpu controller; enable it for "
         "the children of " +
         mount + " (cgroup.subtree_control), moving the processes in it to a cgroup below first";
}

}  // namespace

std::optional<CgroupPlace> find_cgroup(const std::string& controller, const std::string& root) {
  const std::string own = text_of_file(root + "/proc/self/cgroup");
  for (const CgroupMount& mount :
       parse_cgroup_mounts(text_of_file(root + "/proc/self/mountinfo"))) {
    if (!carries(mount, controller, root)) continue;
    const auto path = parse_cgroup_path(own, mount.version == 2 ? "" : controller);
    if (!path) continue;
    std::string directory = cgroup_directory(mount, *path);
    if (!path_exists(root + directory)) directory = mount.mount_point;
    return CgroupPlace{mount.version, mount.mount_point, directory};
  }
  return std::nullopt;
}

std::vector<std::string> directories_upwards(const CgroupPlace& place, const std::string& root) {
  std::vector<std::string> directories;
  std::string directory = place.directory;
  while (directory.size() > place.mount_point.size()) {
    directories.push_back(root + directory);
    directory.resize(directory.rfind('/'));
  }
  directories.push_back(root + place.mount_point);
  return directories;
}

std::optional<double> cgroup_cpu_limit(const std::string& root) {
  return tightest("cpu", root, cpu_limit_of);
}

std::optional<std::int64_t> cgroup_memory_limit(const std::string& root) {
  return tightest("memory", root, memory_limit_of);
}

std::int64_t available_memory(const std::string& root) {
  const std::int64_t of_system =
      find_kibibytes(text_of_file(root + "/proc/meminfo"), "MemAvailable");
  const auto left = tightest("memory", root, memory_left_in);
  return of_system > 0 && left ? std::min(of_system, *left) : left.value_or(of_system);
}

std::optional<QuotaParent> find_memory_parent(const std::string& root) {
  const auto place = find_cgroup("memory", root);
  if (!place) return std::nullopt;
  for (const std::string& directory : directories_upwards(*place, root)) {
    const bool has_memory =
        place->version == 1 ||
        has_word(read_system_line(directory + "/cgroup.subtree_control"), "memory");
    if (has_memory && can_hold_children(directory)) return QuotaParent{place->version, directory};
  }
  return std::nullopt;
}

Result<QuotaParent> find_quota_parent(const std::string& root) {
  const auto place = find_cgroup("cpu", root);
  if (!place)
    return because(
        "no CPU quota can be set: no cgroup file system with the cpu controller is mounted; mount "
        "one, or leave cpu_quota out");
  std::vector<std::string> directories = directories_upwards(*place, root);
  std::erase_if(directories, [](const auto& directory) { return !can_hold_children(directory); });
  const auto parent =
      place->version == 1 ? directories.begin() : std::ranges::find_if(directories, cpu_is_enabled);
  if (parent != directories.end()) return QuotaParent{place->version, *parent};
  const auto possible = std::ranges::find_if(directories, can_enable_cpu);
  if (place->version == 2 && possible != directories.end()) return QuotaParent{2, *possible, true};
  return because("no CPU quota can be set: " + why_no_parent(*place, root));
}

}  // namespace lapcast
