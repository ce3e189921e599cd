#include "lap/slow_rank.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "core/units.h"

namespace lapcast {
namespace {

constexpr std::size_t kLeastLaps = 10;
constexpr double kWorthSaying = 0.03;  // of a lap
constexpr double kErrors = 4;          // standard errors; laps are not independent

/// Holds the usual lap of one rank.
struct RankLap {
  const Hello* hello = nullptr;
  double lap_ns = 0;    // the median
  double error_ns = 0;  // standard error of it
};

/// Returns the median of numbers, of which there is at least one.
double median_of(std::vector<double>& numbers) {
  const auto middle = numbers.begin() + std::ssize(numbers) / 2;
  std::ranges::nth_element(numbers, middle);
  return *middle;
}

/// Returns the usual lap of a rank after its first fifth, which warms up. The median of n normal
/// values with deviation s has the error 1.2533 s / sqrt(n), and s is 1.4826 times their median
/// distance from it.
std::optional<RankLap> lap_of(const LapLog& log) {
  std::vector<double> laps;
  for (std::size_t i = log.laps.size() / 5; i < log.laps.size(); ++i)
    if (const Lap& lap = log.laps[i]; lap.finished && !lap.shared)
      laps.push_back(static_cast<double>(lap.end_ns - lap.begin_ns));
  if (!log.hello || laps.size() < kLeastLaps) return std::nullopt;
  RankLap rank{&*log.hello, median_of(laps), 0};
  for (double& lap : laps) lap = std::abs(lap - rank.lap_ns);
  const double deviation = 1.4826 * median_of(laps);
  rank.error_ns = 1.2533 * deviation / std::sqrt(static_cast<double>(laps.size()));
  return rank;
}

bool stands_out(const RankLap& slow, std::span<const RankLap> others, double usual_ns) {
  const auto [fastest, slowest] = std::ranges::minmax(others, {}, &RankLap::lap_ns);
  const double more = slow.lap_ns - usual_ns;
  const double noise =
      std::hypot(slow.error_ns, std::ranges::max(others, {}, &RankLap::error_ns).error_ns);
  return more > kWorthSaying * usual_ns && more > kErrors * noise &&
         more > 2 * (slowest.lap_ns - fastest.lap_ns);
}

}  // namespace

std::string describe_slow_rank(std::span<const LapLog* const> ranks) {
  if (ranks.size() < 2) return {};  // before a day of laps is looked at for nothing
  std::vector<RankLap> laps;
  std::set<std::string> hosts;
  for (const LapLog* log : ranks)
    if (const auto lap = lap_of(*log)) {
      laps.push_back(*lap);
      hosts.insert(lap->hello->host);
    }
  if (laps.size() < 2) return {};
  std::ranges::sort(laps, {}, &RankLap::lap_ns);
  const RankLap slow = laps.back();
  laps.pop_back();
  const double usual_ns = laps[laps.size() / 2].lap_ns;
  if (!stands_out(slow, laps, usual_ns)) return {};
  const auto text = [](double ns) { return format_duration(Seconds{ns * 1e-9}); };
  return fmt::format(
      "rank {}{} is slower than the {}: its laps take {}, {} more than {}; where ranks wait for "
      "each other, all take its time",
      slow.hello->rank, hosts.size() > 1 ? " on " + printable(slow.hello->host) : "",
      laps.size() > 1 ? fmt::format("{} others", laps.size()) : "other", text(slow.lap_ns),
      format_share(slow.lap_ns / usual_ns - 1), text(usual_ns));
}

}  // namespace lapcast
