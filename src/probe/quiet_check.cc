#include "probe/quiet_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <utility>

#include "core/units.h"
#include "forecast/disturbance.h"
#include "probe/ids_and_time.h"
#include "probe/load_sampler.h"
#include "stats/summary.h"

namespace lapcast {
namespace {

constexpr double kMostOthers = 0.05;  // of the CPUs
constexpr double kMostStolen = 0.01;
constexpr double kMostSpread = 0.03;
constexpr std::int64_t kStepsOfAPiece = 8'000'000;  // about 20 ms

/// Does a piece of work and returns its seconds.
double work() {
  const MonotonicNs begin = monotonic_ns();
  std::uint64_t x = 1;
  for (std::int64_t step = 0; step < kStepsOfAPiece; ++step) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
  }
  static std::atomic<std::uint64_t> kept;  // so that the compiler leaves the work in
  kept.store(x, std::memory_order_relaxed);
  return from_ns(monotonic_ns() - begin).count();
}

/// Works on one CPU until the end, and returns the seconds of each piece.
std::vector<double> work_on(int cpu, const std::atomic<bool>& ended) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(cpu), &set);
  sched_setaffinity(0, sizeof set, &set);
  std::vector<double> pieces;
  while (!ended) pieces.push_back(work());
  return pieces;
}

/// Returns the mean over the CPUs of the spread of each: CPUs may differ in speed.
double spread_of(const std::vector<std::vector<double>>& pieces) {
  std::vector<double> spreads;
  for (const std::vector<double>& of_cpu : pieces)
    if (of_cpu.size() > 1) spreads.push_back(standard_deviation(of_cpu) / mean(of_cpu));
  return spreads.empty() ? 0 : mean(spreads);
}

}  // namespace

QuietCheck check_quiet(const std::vector<int>& cpus, Seconds length, const Interrupt& interrupt) {
  std::atomic<bool> ended = false;
  std::vector<std::vector<double>> pieces(cpus.size());
  std::vector<std::thread> threads;
  const MonotonicNs begin = monotonic_ns();
  for (std::size_t i = 0; i < cpus.size(); ++i)
    threads.emplace_back([&, i] { pieces[i] = work_on(cpus[i], ended); });
  const auto this_process = [] { return std::vector<pid_t>{getpid()}; };
  LoadSampler sampler({.cpus = cpus, .cgroups = {}, .processes = this_process},
                      {.clock_ns = begin, .pid = getpid()}, {});
  while (monotonic_ns() - begin < to_ns(length) && interrupt.count() == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    sampler.look(monotonic_ns());
  }
  sampler.sample(monotonic_ns());
  ended = true;
  for (std::thread& thread : threads) thread.join();
  QuietCheck check{.length = from_ns(monotonic_ns() - begin),
                   .cpus = static_cast<double>(cpus.size()),
                   .spread = spread_of(pieces)};
  if (const auto others = disturbance_of(sampler.samples())) {
    check.others_cpus = others->others_cpus;
    check.lost_share = others->lost_share;
  }
  double stolen_ns = 0;
  double looked_ns = 0;
  for (const LoadSample& load : sampler.samples()) {
    stolen_ns += static_cast<double>(load.steal_ns.value_or(0));
    looked_ns += static_cast<double>(load.span_ns) * check.cpus;
  }
  if (looked_ns > 0) check.stolen = stolen_ns / looked_ns;
  return check;
}

std::string why_not_quiet(const QuietCheck& check) {
  std::vector<std::string> reasons;
  if (check.others_cpus > kMostOthers * check.cpus)
    reasons.push_back(
        fmt::format("others used {:.1f} of {:.0f} CPUs", check.others_cpus, check.cpus));
  if (check.stolen > kMostStolen)
    reasons.push_back(
        fmt::format("the host took {} of the CPUs' time", format_share(check.stolen)));
  if (check.spread > kMostSpread)
    reasons.push_back(fmt::format("the same work varied by {}", format_share(check.spread)));
  return fmt::format("{}", fmt::join(reasons, "; "));
}

}  // namespace lapcast
