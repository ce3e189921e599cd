// Measures importing a price list of 200,000 rows. Goal: at least 500,000 rows/s and at most 300
// MB.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstddef>
#include <cstdio>
#include <string>

#include "figure.h"
#include "formats/price_list.h"

namespace {

constexpr std::size_t kRows = 200'000;

/// Returns a list like SkyPilot's: each machine type in 20 regions, each region with two zones.
std::string made_list() {
  std::string csv =
      "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,"
      "Region,AvailabilityZone\n";
  for (std::size_t i = 0; i < kRows; ++i)
    csv += fmt::format(
        "machine-{},V100,4.0,32.0,244.0,\"{{'Gpus': [{{'Name': 'V100', 'Count': 4, 'MemoryInfo': "
        "{{'SizeInMiB': 16384}}}}]}}\",{}.5,{}.25,region-{},zone-{}\n",
        i / 40, i % 30 + 2, i % 30 + 1, i / 2 % 20, i % 2);
  return csv;
}

void import_list(benchmark::State& state) {
  static const std::string csv = made_list();
  for (auto _ : state) {
    const auto list = lapcast::read_price_list(lapcast::PriceListFormat::skypilot, csv,
                                               {"cloud", "2026-11-20", "made"}, {2026, 11, 22});
    if (list.offers.size() != kRows) state.SkipWithError("not all rows became offers");
    benchmark::DoNotOptimize(list.offers.data());
  }
}
BENCHMARK(import_list)->Unit(benchmark::kMillisecond)->Iterations(1)->Repetitions(11);

}  // namespace

int main(int argc, char** argv) {
  lapcast::MedianReporter reporter;
  if (!lapcast::run_benchmarks(argc, argv, reporter)) return 2;
  std::printf("peak memory %.0f MB\n", lapcast::peak_memory_mb());
  const double seconds = reporter.median_ns("import_list") * 1e-9;
  lapcast::print_figure("catalog-import", static_cast<double>(kRows) / seconds, "rows/s");
}
