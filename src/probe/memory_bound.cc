#include "probe/memory_bound.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "discover/system_cgroup.h"
#include "machine/proc_text.h"
#include "posix/files.h"

namespace lapcast {
namespace {

constexpr double kAllOfBound = 0.98;     // version 2 slows a program down below its limit
constexpr std::int64_t kAboveHigh = 32;  // memory.max is above memory.high by a 32nd

}  // namespace

MemoryBound MemoryBound::of_available(double share, const std::string& root,
                                      const CgroupKernel& kernel) {
  MemoryBound bound;
  bound.bytes_ = static_cast<std::int64_t>(share * static_cast<double>(available_memory(root)));
  const auto parent = find_memory_parent(root);
  if (bound.bytes_ <= 0 || !parent) return bound;
  bound.version_ = parent->version;
  auto group = Cgroup::create(parent->directory, kernel);
  if (!group) return bound;
  bound.group_ = std::move(*group);
  if (!bound.limit_cgroup(parent->version)) bound.group_.reset();
  return bound;
}

/// Returns false where the kernel would kill at the limit instead.
bool MemoryBound::limit_cgroup(int version) const {
  const auto write = [&](const char* file, std::int64_t value) {
    return write_system_file(group_->directory() + file, std::to_string(value)) == 0;
  };
  if (version == 1) {
    if (!write("/memory.limit_in_bytes", bytes_) || !write("/memory.oom_control", 1)) return false;
    write("/memory.memsw.limit_in_bytes", bytes_);  // absent without accounting of swap space
    return true;
  }
  write("/memory.swap.max", 0);
  return write("/memory.high", bytes_) && write("/memory.max", bytes_ + bytes_ / kAboveHigh);
}

void MemoryBound::add_to(SpawnSpec& spec) const {
  if (group_)
    spec.cgroup_procs_fds.push_back(group_->procs_fd());
  else if (bytes_ > 0)
    spec.most_data_bytes = bytes_;
}

bool MemoryBound::is_reached() const {
  if (!group_) return false;
  if (version_ == 1) {
    const std::string state = text_of_file(group_->directory() + "/memory.oom_control");
    return find_field(state, "under_oom", ' ') == "1";
  }
  const std::string use = text_of_file(group_->directory() + "/memory.stat");
  const auto anonymous = find_field(use, "anon", ' ');
  return anonymous && static_cast<double>(parse_integer(*anonymous).value_or(0)) >=
                          kAllOfBound * static_cast<double>(bytes_);
}

std::int64_t kills_by_kernel(const std::string& root) {
  const std::string counters = text_of_file(root + "/proc/vmstat");
  const auto kills = find_field(counters, "oom_kill", ' ');
  return kills ? parse_integer(*kills).value_or(0) : 0;
}

}  // namespace lapcast
