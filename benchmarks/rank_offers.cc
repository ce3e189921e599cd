// Measures ranking 100,000 offers against 10 candidates. Goal: at most 150 ms and 300 MB.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "figure.h"
#include "rank/ranking.h"

namespace {

using lapcast::Billing;
using lapcast::Candidate;
using lapcast::Interval;
using lapcast::Money;
using lapcast::Offer;
using lapcast::Seconds;

constexpr std::size_t kOffers = 100'000;
constexpr std::size_t kMachineTypes = 10;
constexpr std::int64_t kSecondNs = 1'000'000'000;

std::string machine_type(std::size_t i) {
  return "gpu-standard-" + std::to_string(i) + "xlarge";
}

/// Returns ten runs of 20 minutes to 4 hours, so close that several may be the best.
std::vector<Candidate> candidates() {
  std::vector<Candidate> result;
  for (std::size_t i = 0; i < kMachineTypes; ++i) {
    const double mid = 1200.0 * (1.0 + static_cast<double>(i));
    Candidate candidate{
        .run_id = "run-" + std::to_string(i),
        .machine_type = machine_type(i),
        .settings = "batch=256",
        .time = Interval<Seconds>{Seconds{0.9 * mid}, Seconds{mid}, Seconds{1.12 * mid}}};
    candidate.epochs = 20;
    candidate.time_by_epochs = [mid](double epochs) {
      return Seconds{0.1 * mid + 0.045 * mid * epochs};
    };
    result.push_back(std::move(candidate));
  }
  return result;
}

/// Returns prices of many regions and resellers: slower machines cost less, within a factor of 3.
std::vector<Offer> offers() {
  constexpr std::int64_t kSteps[] = {kSecondNs, 60 * kSecondNs, 3600 * kSecondNs};
  std::mt19937_64 random(7);
  std::vector<Offer> result;
  for (std::size_t i = 0; i < kOffers; ++i) {
    const std::size_t type = random() % kMachineTypes;
    Offer offer;
    offer.name =
        "provider-" + std::to_string(i % 97) + "/" + machine_type(type) + "/" + std::to_string(i);
    offer.machine_type = machine_type(type);
    offer.region = "region-" + std::to_string(random() % 40);
    const std::uint64_t nanos = 12'000'000'000u / (type + 1);
    offer.price = {Money::from_nanos(static_cast<std::int64_t>(nanos + random() % (2 * nanos)))};
    offer.billing =
        Billing{kSteps[random() % 3], static_cast<std::int64_t>(random() % 2) * 60 * kSecondNs};
    offer.boot_ns = static_cast<std::int64_t>(random() % 4) * 30 * kSecondNs;
    offer.as_of = "2026-11-20";
    offer.source = "a price list of this benchmark";
    result.push_back(std::move(offer));
  }
  return result;
}

double peak_mb = 0;  // after ranking the offers as machines that stay

void rank_offers(benchmark::State& state) {
  static const auto given_candidates = candidates();
  static const auto given_offers = offers();
  for (auto _ : state) {
    const auto ranking = lapcast::rank(given_candidates, given_offers, {});
    benchmark::DoNotOptimize(ranking.expected_regret);
  }
  peak_mb = lapcast::peak_memory_mb();
}
BENCHMARK(rank_offers)->Unit(benchmark::kMillisecond)->Iterations(1)->Repetitions(15);

/// Ranks the same offers as spot machines of five kinds, whose interruptions count.
void rank_spot_offers(benchmark::State& state) {
  static const auto given_candidates = candidates();
  static const auto given_offers = [] {
    std::vector<Offer> result = offers();
    for (std::size_t i = 0; i < result.size(); ++i)
      result[i].terms = lapcast::Spot{2.0 * static_cast<double>(1 + i % 5), {}};
    return result;
  }();
  lapcast::Preferences preferences;
  preferences.spot.checkpoint = Seconds{30};
  preferences.spot.restart = Seconds{120};
  for (auto _ : state) {
    const auto ranking = lapcast::rank(given_candidates, given_offers, preferences);
    benchmark::DoNotOptimize(ranking.expected_regret);
  }
}
BENCHMARK(rank_spot_offers)->Unit(benchmark::kMillisecond)->Iterations(1)->Repetitions(5);

}  // namespace

int main(int argc, char** argv) {
  lapcast::MedianReporter reporter;
  if (!lapcast::run_benchmarks(argc, argv, reporter)) return 2;
  std::printf("%zu offers, %zu candidates, peak memory %.0f MB\n", kOffers, kMachineTypes, peak_mb);
  std::printf("the same as spot machines with interruptions: %.0f ms\n",
              reporter.median_ns("rank_spot_offers") * 1e-6);
  lapcast::print_figure("rank-offers", reporter.median_ns("rank_offers") * 1e-6, "ms");
}
