// Measures filtering and sorting 100,000 offers of a catalog. Goal: at most 50 ms.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "core/money.h"
#include "figure.h"
#include "price/offer_filter.h"

namespace {

constexpr std::size_t kOffers = 100'000;

std::vector<lapcast::Offer> made_offers() {
  std::mt19937_64 random(1);
  constexpr const char* kGpus[] = {"A100", "H100", "V100", "T4"};
  std::vector<lapcast::Offer> offers(kOffers);
  for (std::size_t i = 0; i < kOffers; ++i) {
    lapcast::Offer& offer = offers[i];
    offer.provider = i % 3 == 0 ? "aws" : "gcp";
    offer.region = fmt::format("{}-{}", i % 2 == 0 ? "eu" : "us", i % 17);
    offer.machine_type = fmt::format("machine-{}", i);
    offer.name = fmt::format("{}/{}/{}", offer.provider, offer.machine_type, offer.region);
    offer.accelerator = kGpus[i % 4];
    offer.accelerator_count = static_cast<int>(i % 8) + 1;
    offer.price = {
        lapcast::Money::from_nanos(static_cast<std::int64_t>(random() % 100) * 1'000'000'000)};
  }
  return offers;
}

void query(benchmark::State& state, const lapcast::OfferFilter& filter) {
  static const auto offers = made_offers();
  for (auto _ : state) benchmark::DoNotOptimize(lapcast::matching_offers(offers, filter).data());
}

void sort_all(benchmark::State& state) {
  query(state, {});
}
void filter_some(benchmark::State& state) {
  query(state, {.accelerator = "a100", .provider = "aws", .region = "eu"});
}
BENCHMARK(sort_all)->Unit(benchmark::kMillisecond)->Iterations(1)->Repetitions(21);
BENCHMARK(filter_some)->Unit(benchmark::kMillisecond)->Iterations(1)->Repetitions(21);

}  // namespace

int main(int argc, char** argv) {
  lapcast::MedianReporter reporter;
  if (!lapcast::run_benchmarks(argc, argv, reporter)) return 2;
  lapcast::print_figure("catalog-query", reporter.median_ns("sort_all") * 1e-6, "ms");
}
