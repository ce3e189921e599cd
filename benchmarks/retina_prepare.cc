// Measures preparing photographs of the retina (3000x2000, about 1.7 MB) on one core relative to
// decoding their entropy code alone. Goal: at least 0.85, and two cores at least 1.9 times one.
//
// It needs the workloads make-retinas and retina-prepare. Entropy decoding, preparing on one thread
// and on two take turns in one process; files are in the page cache. `./bench retina-prepare ROUNDS
// IMAGES` takes other numbers.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "common/cpus.h"
#include "data/jpeg.h"
#include "figure.h"
#include "retina/drawing.h"
#include "retina/shards.h"

namespace {

using namespace lapcast::workloads;
namespace fs = std::filesystem;

struct Folder {
  fs::path path = fs::temp_directory_path() / ("bench-retina." + std::to_string(getpid()));
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

double entropy_rate(const std::vector<std::vector<std::uint8_t>>& files) {
  JpegReader reader;
  const auto begin = std::chrono::steady_clock::now();
  for (const auto& file : files) {
    reader.open(file);
    reader.decode_entropy_only();
  }
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  return static_cast<double>(files.size()) / time.count();
}

double prepare_rate(const fs::path& folder, int workers) {
  PrepareRequest request;
  request.in = folder / "in";
  request.out = folder / "out";
  request.workers = workers;
  fs::remove_all(request.out);
  const PrepareSummary sums = prepare_retinas(request, [](const PrepareSummary&) {});
  return static_cast<double>(sums.prepared) / sums.seconds;
}

std::vector<std::vector<std::uint8_t>> read_all(const fs::path& folder) {
  std::vector<std::vector<std::uint8_t>> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".jpeg") continue;
    std::ifstream in(entry.path(), std::ios::binary);
    files.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return files;
}

void print_rates(const char* name, const std::vector<double>& rates) {
  std::printf("  %-24s %7.1f images/s   (%.1f to %.1f)\n", name, median(rates),
              *std::min_element(rates.begin(), rates.end()),
              *std::max_element(rates.begin(), rates.end()));
}

void measure(int rounds, std::int64_t images) {
  const Folder folder;
  fs::create_directories(folder.path / "in");
  make_retinas(folder.path / "in", {images}, usable_cpus());
  const auto files = read_all(folder.path / "in");
  std::vector<double> entropy, one, two, ratios, scaling;
  for (int round = -1; round < rounds; ++round) {  // the first round warms up
    const double alone = entropy_rate(files), single = prepare_rate(folder.path, 1);
    const double both = prepare_rate(folder.path, 2);
    if (round < 0) continue;
    entropy.push_back(alone);
    one.push_back(single);
    two.push_back(both);
    ratios.push_back(single / alone);
    scaling.push_back(both / single);
  }
  std::printf("%lld photographs, %d rounds in turn: median (lowest to highest)\n",
              static_cast<long long>(images), rounds);
  print_rates("entropy decoding alone", entropy);
  print_rates("prepared, one core", one);
  print_rates("prepared, two cores", two);
  std::printf("two cores over one, median of the rounds: %.2f\n", median(scaling));
  lapcast::print_figure("retina-prepare", median(ratios), "times entropy decoding alone");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    measure(argc > 1 ? std::max(1, std::atoi(argv[1])) : 7,
            argc > 2 ? std::max(2, std::atoi(argv[2])) : 120);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "retina-prepare: %s\n", error.what());
    return 1;
  }
}
