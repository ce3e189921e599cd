// Measures storing finished probes of 50 laps each, one by one, with Store::add(): each is safe
// from a crash of the process before the next one begins. The store is in the folder for temporary
// files or in the only argument: the file system matters.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "figure.h"
#include "lap/lap_log_writer.h"
#include "store/store.h"

namespace lapcast {
namespace {

constexpr int kRuns = 6000;
constexpr int kRounds = 5;

/// Returns a log as the demo's probes have: three epochs begun, 50 laps of 40 ms, metrics.
std::string log_of_50_laps() {
  std::string log = lap_log_opening({1'000'000'000'000, 1.8e9, 4242, 0, 1, "box", "lap.h/1"});
  std::int64_t at_ns = 812'345'678;
  log += plan_line(at_ns, {12, 0, 469, 128, 60000, 10000});
  for (int lap = 0; lap < 50; ++lap) {
    if (lap % 20 == 0) log += fmt::format("{} epoch-begin {}\n", at_ns, lap / 20 + 1);
    at_ns += 40'000'000 + lap * 7919 % 100'000;
    log += fmt::format("{} i 128\n", at_ns);
    if (lap % 10 == 9) log += fmt::format("{} metric loss {:.6f}\n", at_ns, 2.3 / (lap + 1));
  }
  return log;
}

Run finished_probe() {
  Run run;
  run.context.sweep = "77e1a0b3c4d5";
  run.context.program = {"build/workloads/mnist-cnn", "--batch", "{batch}", "--out", "{run_dir}"};
  run.context.settings = {{"batch", "128"}};
  run.context.working_dir = "/home/ann/digits";
  run.context.machine_type = {"half-core", {0, 1}, 0.5, {{"OMP_NUM_THREADS", "1"}}};
  run.context.price.emplace().price = {Money::parse("0.0425")};
  run.context.price->as_of = "2026-11-20";
  run.context.price->source = "fleet.toml";
  run.context.started_at = "2026-11-20T12:00:00Z";
  run.context.lapcast_version = "0.1.0";
  run.context.machine.host = "box";
  run.context.machine.os = "Debian GNU/Linux 12 (bookworm), Linux 6.1.0";
  run.context.machine.cpu_model = "Intel(R) Xeon(R) Platinum 8275CL CPU @ 3.00GHz";
  run.context.machine.allowed_cpus = {0, 1};
  run.outcome = outcome::Enough{"steady lap known to 1.4 %"};
  run.started_ns = 999'000'000'000;
  run.ended_ns = 1'003'200'000'000;
  run.usage = {Seconds{5.25}, Seconds{0.1}, 123'456'789, 42'000};
  run.lap_logs = {log_of_50_laps()};
  run.standard_output = "epoch 1: loss 0.41, accuracy 0.88\nepoch 2: loss 0.13, accuracy 0.96\n";
  return run;
}

/// Returns the runs per second into a new store.
double one_round(const std::filesystem::path& folder, Run& run, int round) {
  Store store = Store::open(folder / fmt::format("{}.db", round));
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kRuns; ++i) {
    run.context.id =
        fmt::format("{:012x}", 0x9E3779B97F4A7C15u * static_cast<unsigned>(i + 1) >> 16);
    store.add(run);
  }
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  std::printf("round %d: %.0f runs/s\n", round + 1, kRuns / time.count());
  return kRuns / time.count();
}

void measure(const std::filesystem::path& parent) {
  std::string folder = parent / "lapcast-store-runs-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr)
    throw std::runtime_error("no folder in " + parent.string());
  Run run = finished_probe();
  std::vector<double> rates;
  for (int round = 0; round < kRounds; ++round) rates.push_back(one_round(folder, run, round));
  std::filesystem::remove_all(folder);
  std::sort(rates.begin(), rates.end());
  print_figure("store-runs", rates[kRounds / 2], "runs/s");
}

}  // namespace
}  // namespace lapcast

int main(int argc, char** argv) {
  try {
    lapcast::measure(argc > 1 ? argv[1] : std::filesystem::temp_directory_path());
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "store-runs: %s\n", error.what());
    return 1;
  }
}
