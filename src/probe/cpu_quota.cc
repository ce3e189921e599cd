#include "probe/cpu_quota.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "machine/system_cgroup.h"
#include "machine/system_file.h"

namespace lapcast {
namespace {

constexpr double kLeastCpus = 0.001;
constexpr std::int64_t kPeriodUs = 10'000;
constexpr double kLeastQuotaUs = 1'000;  // the kernel's min_cfs_quota_period

struct Amount {
  std::int64_t quota_us = 0;
  std::int64_t period_us = kPeriodUs;
};

Amount amount_of(double cpus) {
  Amount amount;
  const double period = std::max<double>(kPeriodUs, std::ceil(kLeastQuotaUs / cpus));
  amount.period_us = static_cast<std::int64_t>(std::min(period, 1e6));
  amount.quota_us = std::llround(cpus * static_cast<double>(amount.period_us));
  return amount;
}

const char* limit_file(int version) {
  return version == 2 ? "/cpu.max" : "/cpu.cfs_quota_us";
}

/// Writes the limits of a quota. Returns 0 or errno.
int write_amount(const std::string& directory, int version, const Amount& amount) {
  const std::string quota = std::to_string(amount.quota_us);
  const std::string period = std::to_string(amount.period_us);
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
  const std::string directory = group->directory();
  const int error = write_amount(directory, parent->version, amount_of(cpus));
  if (error != 0) return refused("the kernel does not take it in " + directory, error);
  const std::string limit = read_system_line(directory + limit_file(parent->version));
  return CpuQuota(std::move(*group), parent->version, limit);
}

Result<Throttling> CpuQuota::throttling() const {
  if (!group_) return Throttling{};
  if (read_system_line(directory() + limit_file(version_)) != limit_) {
    return because(
        "the CPU quota was taken away or changed while the program ran, by something "
        "else that manages " +
        directory());
  }
  return parse_cpu_stat(read_system_file(directory() + "/cpu.stat").value_or(""));
}

int CpuQuota::remove_stale(const std::string& root, const CgroupKernel& kernel) {
  int removed = 0;
  if (const auto place = find_cgroup("cpu", root)) {
    for (const std::string& directory : directories_upwards(*place, root)) {
      removed += remove_stale_cgroups(directory, kernel);
    }
  }
  return removed;
}

}  // namespace lapcast
