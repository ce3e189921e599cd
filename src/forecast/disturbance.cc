#include "forecast/disturbance.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>

namespace lapcast {
namespace {

constexpr double kWorthSaying = 0.03;
constexpr double kLittleLost = 0.02;
// NVML's reasons for a low clock that come from heat or from too little power for the board. The
// board's own power limit (0x4) does not count: a program reaches it by its own work.
constexpr std::int64_t kSlowedDown = 0x8 | 0x20 | 0x40 | 0x80;
constexpr std::ptrdiff_t kLeastLaps = 10;

/// Returns how long two stretches of nanoseconds overlap.
std::int64_t overlap(std::int64_t begin_a, std::int64_t end_a, std::int64_t begin_b,
                     std::int64_t end_b) {
  return std::max<std::int64_t>(0, std::min(end_a, end_b) - std::max(begin_a, begin_b));
}

/// Sets how the GPU was shared and slowed.
void add_gpu(Disturbance& sum, std::span<const LoadSample> loads) {
  double known_ns = 0;
  for (const LoadSample& load : loads) {
    const auto span = static_cast<double>(load.span_ns);
    if (!load.gpu_others || !(span > 0)) continue;
    known_ns += span;
    if (*load.gpu_others > 0) sum.gpu_shared += span;
    if ((load.gpu_throttle.value_or(0) & kSlowedDown) != 0) sum.gpu_slowed += span;
  }
  if (!(known_ns > 0)) return;
  sum.gpu_shared /= known_ns;
  sum.gpu_slowed /= known_ns;
}

/// Says what others used of the CPUs, and how much that slowed the laps.
std::string cpus_text(const Disturbance& disturbance) {
  const double slowed = 1 / (1 - std::min(disturbance.lost_share, 0.99)) - 1;
  constexpr double kShown = 0.05;
  const std::string host = disturbance.host_cpus < kShown
                               ? ""
                               : fmt::format(", and its host took {:.1f}", disturbance.host_cpus);
  return fmt::format(
      "others on this machine used {:.1f} of its {:.0f} CPUs{}: laps were slowed by {:.0f} %",
      disturbance.others_cpus, disturbance.cpus, host, 100 * slowed);
}

}  // namespace

std::optional<Seconds> time_lost_in(const LoadSample& load) {
  if (!load.delay_ns || !load.others_ns || load.span_ns <= 0) return std::nullopt;
  if (load.gpu_others.value_or(0) > 0) return std::nullopt;
  const std::int64_t waited =
      std::max<std::int64_t>(0, *load.delay_ns - load.throttled_ns.value_or(0));
  const std::int64_t taken =
      load.steal_ns.value_or(0) / std::max<std::int64_t>(1, load.cpus.value_or(1));
  return from_ns(std::min(std::min(waited, *load.others_ns) + taken, load.span_ns));
}

std::optional<Disturbance> disturbance_of(std::span<const LoadSample> loads) {
  Disturbance sum;
  add_gpu(sum, loads);
  Seconds lost{0};
  for (const LoadSample& load : loads) {
    const auto lost_here = time_lost_in(load);
    if (!lost_here) continue;
    sum.covered += from_ns(load.span_ns);
    sum.others_cpus += from_ns(*load.others_ns).count();
    sum.host_cpus += from_ns(load.steal_ns.value_or(0)).count();
    sum.cpus = static_cast<double>(load.cpus.value_or(0));
    lost += *lost_here;
  }
  if (!(sum.covered.count() > 0)) return sum.gpu_shared > 0 ? std::optional(sum) : std::nullopt;
  sum.others_cpus /= sum.covered.count();
  sum.host_cpus /= sum.covered.count();
  sum.lost_share = lost / sum.covered;
  return sum;
}

std::vector<std::optional<double>> shares_lost(const LapLog& log) {
  std::vector<std::optional<double>> shares(log.laps.size());
  std::size_t first = 0;  // of the samples that may overlap the lap or a later one
  for (std::size_t i = 0; i < log.laps.size(); ++i) {
    const Lap& lap = log.laps[i];
    while (first < log.loads.size() && log.loads[first].at_ns <= lap.begin_ns) ++first;
    double covered = 0;
    double lost = 0;
    for (std::size_t j = first; j < log.loads.size(); ++j) {
      const LoadSample& load = log.loads[j];
      if (load.at_ns - load.span_ns >= lap.end_ns) break;
      const auto lost_here = time_lost_in(load);
      if (!lost_here) continue;
      const auto common = static_cast<double>(
          overlap(lap.begin_ns, lap.end_ns, load.at_ns - load.span_ns, load.at_ns));
      covered += common;
      lost += common * (*lost_here / from_ns(load.span_ns));
    }
    if (covered > 0) shares[i] = lost / covered;
  }
  return shares;
}

std::string_view to_string(Conditions conditions) {
  return conditions == Conditions::undisturbed ? "undisturbed" : "as-measured";
}

bool is_undisturbed(const std::optional<double>& share_lost) {
  return share_lost && *share_lost <= kLittleLost;
}

std::optional<Reason> why_not_undisturbed(const LapLog& log) {
  const auto shares = shares_lost(log);
  if (std::ranges::none_of(shares, &std::optional<double>::has_value))
    return Reason{"what else the machine did is not known"};
  const auto undisturbed = std::ranges::count_if(shares, is_undisturbed);
  if (undisturbed >= kLeastLaps) return std::nullopt;
  return Reason{fmt::format("only {} of {} laps were undisturbed by others, {} are needed",
                            undisturbed, shares.size(), kLeastLaps)};
}

std::string describe(const Disturbance& disturbance) {
  std::vector<std::string> parts;
  if (disturbance.gpu_shared >= kWorthSaying)
    parts.push_back(
        fmt::format("others used its GPU for {:.0f} % of the time", 100 * disturbance.gpu_shared));
  if (disturbance.gpu_slowed >= kWorthSaying)
    parts.push_back(fmt::format("heat or power lowered the GPU's clock for {:.0f} % of the time",
                                100 * disturbance.gpu_slowed));
  if (disturbance.lost_share >= kWorthSaying) parts.push_back(cpus_text(disturbance));
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace lapcast
