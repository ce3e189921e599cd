// Measures writing TFRecord records of 20 KB with CRC-32C into memory. Goal: at least 5 GB/s, and a
// shard of 2,000 images (40 MB) durable on the disk within 30 ms.
//
// It needs the workloads make-retinas and retina-prepare.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "data/crc32c.h"
#include "data/durable_file.h"
#include "data/tfrecord.h"
#include "figure.h"

namespace {

using namespace lapcast::workloads;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kRecord = 20'000, kRecords = 2000;
constexpr int kRounds = 51;

template <typename Work>
double median_seconds(Work work) {
  std::vector<double> times;
  for (int round = -3; round < kRounds; ++round) {
    const auto begin = Clock::now();
    work();
    const std::chrono::duration<double> time = Clock::now() - begin;
    if (round >= 0) times.push_back(time.count());
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  std::vector<std::uint8_t> record(kRecord), shard;
  for (std::size_t i = 0; i < kRecord; ++i) record[i] = static_cast<std::uint8_t>(i * 31 + i / 251);
  const double memory = median_seconds([&] {
    shard.clear();
    for (std::size_t i = 0; i < kRecords; ++i) append_tfrecord(shard, record);
  });
  const double sum = median_seconds([&] { benchmark::DoNotOptimize(crc32c(shard)); });
  const double table = median_seconds([&] { benchmark::DoNotOptimize(crc32c_by_table(shard)); });
  const fs::path folder = argc > 1 ? fs::path(argv[1]) : fs::temp_directory_path();
  const fs::path file = folder / ("tfrecord-write." + std::to_string(getpid()));
  const double disk = median_seconds([&] {
    DurableFile out(file);
    out.append(shard);
    out.finish();
  });
  fs::remove(file);
  const auto bytes = static_cast<double>(shard.size());
  std::printf("CRC-32C by %s: %.1f GB/s, by table: %.1f GB/s\n", crc32c_method().data(),
              bytes / sum * 1e-9, bytes / table * 1e-9);
  std::printf("a shard of %.0f MB durable in %s: %.1f ms\n", bytes * 1e-6, folder.c_str(),
              disk * 1e3);
  lapcast::print_figure("tfrecord-write", bytes / memory * 1e-9, "GB/s");
}
