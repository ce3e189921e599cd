#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "posix/spawn.h"
#include "probe/cpu_quota.h"

namespace lapcast {

/// Bounds the main memory of a program below what would make the system swap or kill. Where this
/// user may make a cgroup it is the limit of one, in which the kernel stops processes that want
/// more (version 1), or slows them down (version 2), until lapcast ends them; elsewhere it is a
/// limit of the private memory of each process, which then gets no more.
class MemoryBound {
 public:
  /// Bounds nothing.
  MemoryBound() = default;
  /// Bounds the program to a share of what available_memory() returns now. `root` is that of
  /// discover/system_cgroup.h.
  static MemoryBound of_available(double share, const std::string& root = "",
                                  const CgroupKernel& kernel = CgroupKernel::real());

  std::int64_t bytes() const { return bytes_; }  // 0 = no bound
  bool has_cgroup() const { return group_ != nullptr; }
  void add_to(SpawnSpec& spec) const;
  /// Returns whether processes of the cgroup want more than the bound.
  bool is_reached() const;

 private:
  bool limit_cgroup(int version) const;

  std::int64_t bytes_ = 0;
  int version_ = 0;
  std::unique_ptr<Cgroup> group_;
};

/// Returns how many processes the kernel has killed for lack of memory since the boot, on the whole
/// machine; 0 if it does not tell.
std::int64_t kills_by_kernel(const std::string& root = "");

}  // namespace lapcast
