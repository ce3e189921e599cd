#include "machine/system_cgroup.h"

#include <unistd.h>

#include <algorithm>

#include "machine/cgroup_text.h"
#include "machine/proc_text.h"
#include "machine/system_file.h"

namespace lapcast {
namespace {

bool writable(const std::string& path) {
  return ::access(path.c_str(), W_OK) == 0;
}
bool path_exists(const std::string& path) {
  return ::access(path.c_str(), F_OK) == 0;
}

bool has_word(const std::string& text, std::string_view word) {
  const auto words = split(trimmed(text), ' ');
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool carries(const CgroupMount& mount, const std::string& controller, const std::string& root) {
  if (mount.version == 2) {
    const std::string file = root + mount.mount_point + "/cgroup.controllers";
    return has_word(read_system_file(file).value_or(""), controller);
  }
  const auto& all = mount.controllers;
  return std::find(all.begin(), all.end(), controller) != all.end();
}

std::optional<double> cpu_limit_of(const std::string& directory, int version) {
  if (version == 2) return parse_cpu_max(read_system_file(directory + "/cpu.max").value_or(""));
  return parse_cfs_quota(read_system_line(directory + "/cpu.cfs_quota_us"),
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

bool can_hold_children(const std::string& directory) {
  return writable(directory) && writable(directory + "/cgroup.procs");
}

/// Returns whether a cgroup can give controllers to its children: other than the real root, one may
/// either have processes or give controllers to its children (the no-internal-process rule); only
/// the real root lacks cgroup.type.
bool can_enable_cpu(const std::string& directory) {
  if (!has_word(read_system_file(directory + "/cgroup.controllers").value_or(""), "cpu") ||
      !writable(directory + "/cgroup.subtree_control")) {
    return false;
  }
  return !path_exists(directory + "/cgroup.type") ||
         read_system_line(directory + "/cgroup.procs").empty();
}

bool cpu_is_enabled(const std::string& directory) {
  return has_word(read_system_file(directory + "/cgroup.subtree_control").value_or(""), "cpu");
}

std::optional<QuotaParent> find_parent_v2(const std::vector<std::string>& directories) {
  for (const std::string& directory : directories) {
    if (can_hold_children(directory) && cpu_is_enabled(directory)) return QuotaParent{2, directory};
  }
  for (const std::string& directory : directories) {
    if (can_hold_children(directory) && can_enable_cpu(directory)) {
      return QuotaParent{2, directory, true};
    }
  }
  return std::nullopt;
}

tl::unexpected<Reason> why_no_parent(const CgroupPlace& place, const std::string& root) {
  const std::string mount = root + place.mount_point;
  if (::geteuid() != 0 && place.version == 2) {
    return because(
        "no CPU quota can be set: this user may not make cgroups below " + place.mount_point +
        "; start lapcast with: systemd-run --user --scope -p Delegate=yes lapcast ..., or "
        "run it as root");
  }
  if (::geteuid() != 0) {
    return because("no CPU quota can be set: only root may make cgroups below " +
                   place.mount_point + "; run lapcast as root");
  }
  if (!writable(mount)) {
    return because("no CPU quota can be set: " + place.mount_point +
                   " is read-only, as in a container; start the container with a writable cgroup "
                   "file system, or run lapcast outside it");
  }
  return because(
      "no CPU quota can be set: the cgroups above this process hold processes or lack "
      "the cpu controller; enable it for the children of " +
      place.mount_point +
      " (cgroup.subtree_control), moving the processes in it to a cgroup below first");
}

}  // namespace

std::optional<CgroupPlace> find_cgroup(const std::string& controller, const std::string& root) {
  const auto mounts =
      parse_cgroup_mounts(read_system_file(root + "/proc/self/mountinfo").value_or(""));
  const std::string own = read_system_file(root + "/proc/self/cgroup").value_or("");
  for (const CgroupMount& mount : mounts) {
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

int cgroup_version(const std::string& root) {
  const auto place = find_cgroup("cpu", root);
  return place ? place->version : 0;
}

Result<QuotaParent> find_quota_parent(const std::string& root) {
  const auto place = find_cgroup("cpu", root);
  if (!place) {
    return because(
        "no CPU quota can be set: no cgroup file system with the cpu controller is "
        "mounted; mount one, or leave cpu_quota out");
  }
  const auto directories = directories_upwards(*place, root);
  if (place->version == 2) {
    if (const auto parent = find_parent_v2(directories)) return *parent;
  } else {
    for (const std::string& directory : directories) {
      if (can_hold_children(directory)) return QuotaParent{1, directory};
    }
  }
  return why_no_parent(*place, root);
}

}  // namespace lapcast
