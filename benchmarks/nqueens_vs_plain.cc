// Measures N-Queens for N = 16 on one thread: the fast search relative to the paper's plain one,
// medians. Goal: at least 25 with AVX-512, 8 with AVX2; the plain search at most 24 cycles per
// node.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "figure.h"
#include "nqueens.h"
#include "nqueens/fast.h"
#include "nqueens/paper.h"

namespace {

using lapcast::NqueensCase;
using namespace lapcast::workloads::nqueens;

constexpr int kRows = 16;

/// Returns the clock rate of this core under load: dependent multiply-adds take 3 + 1 cycles on
/// every x86 since 2008. Virtual machines rarely have cycle counters.
double cycles_per_second() {
  constexpr int64_t kSteps = 100'000'000;
  const auto begin = std::chrono::steady_clock::now();
  volatile uint64_t factor = 6364136223846793005u;
  const uint64_t by = factor;
  uint64_t x = 1;
  for (int64_t i = 0; i < kSteps; ++i) x = x * by + 12345;
  factor = x;  // keeps the compiler from removing the loop
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  return 4.0 * kSteps / took.count();
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 7;
  std::vector<NqueensCase> cases = {{"paper", paper_work(kRows)}};
  for (const Isa isa : isas_here()) {
    cases.push_back({"fast " + std::string(name_of(isa)), fast_work(kRows, isa)});
  }
  std::vector<double> clock;
  for (int round = 0; round < rounds; ++round) {
    lapcast::time_in_turn(cases, kRows, 1);
    clock.push_back(cycles_per_second());
  }
  const NqueensCase& paper = cases.front();
  const double paper_s = lapcast::median(paper.seconds), hertz = lapcast::median(clock);
  for (const NqueensCase& one : cases) {
    lapcast::print_case(one);
    std::printf("%14s %.1f times as fast as paper\n", "", paper_s / lapcast::median(one.seconds));
  }
  std::printf("paper: %.1f cycles a node at %.2f GHz\n",
              paper_s * hertz / static_cast<double>(paper.nodes), hertz * 1e-9);
  lapcast::print_figure("nqueens-vs-plain", paper_s / lapcast::median(cases.back().seconds),
                        "times as fast");
}
