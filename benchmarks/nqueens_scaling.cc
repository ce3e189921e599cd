// Measures N-Queens for N = 17, the fast search on two threads relative to one, as ratio of the
// medians. Goal: at least 1.9.
#include <algorithm>
#include <cstdlib>
#include <vector>

#include "figure.h"
#include "nqueens.h"
#include "nqueens/fast.h"
#include "nqueens/isa.h"

int main(int argc, char** argv) {
  using namespace lapcast::workloads::nqueens;
  constexpr int kRows = 17;
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 15;
  const Isa isa = isas_here().back();
  std::vector<lapcast::NqueensCase> cases = {{"one thread", fast_work(kRows, isa), 1},
                                             {"two threads", fast_work(kRows, isa), 2}};
  lapcast::time_in_turn(cases, kRows, rounds);
  for (const lapcast::NqueensCase& one : cases) lapcast::print_case(one);
  lapcast::print_figure("nqueens-scaling",
                        lapcast::median(cases[0].seconds) / lapcast::median(cases[1].seconds),
                        "times as fast");
}
