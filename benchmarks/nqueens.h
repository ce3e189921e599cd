#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "nqueens/known_counts.h"
#include "nqueens/work.h"

namespace lapcast {

/// Describes a way to search, and holds how long it took each time.
struct NqueensCase {
  std::string name;
  workloads::nqueens::Work work;
  int threads = 1;
  std::vector<double> seconds = {};
  uint64_t nodes = 0;
};

inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Searches once; a wrong count ends the benchmark.
inline void time_search(NqueensCase& one, int n) {
  const workloads::nqueens::Laps laps(one.work.items, 1);
  const auto begin = std::chrono::steady_clock::now();
  const auto tally = search_on_threads(one.work, one.threads, laps, [](int64_t) {});
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  one.seconds.push_back(took.count());
  one.nodes = tally.nodes;
  if (tally.solutions == workloads::nqueens::kSolutions[static_cast<size_t>(n)]) return;
  std::fprintf(stderr, "%s: %llu solutions is wrong\n", one.name.c_str(),
               static_cast<unsigned long long>(tally.solutions));
  std::exit(1);
}

/// Times all cases in turn, again and again, so that disturbances of the machine affect all of
/// them.
inline void time_in_turn(std::vector<NqueensCase>& cases, int n, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    for (NqueensCase& one : cases) time_search(one, n);
  }
}

inline void print_case(const NqueensCase& one) {
  const auto [low, high] = std::minmax_element(one.seconds.begin(), one.seconds.end());
  const double typical = median(one.seconds);
  const auto nodes = static_cast<double>(one.nodes);
  std::printf("%-17s %8.4f s (%.4f to %.4f), %.4g nodes, %.4g nodes/s\n", one.name.c_str(), typical,
              *low, *high, nodes, nodes / typical);
}

}  // namespace lapcast
