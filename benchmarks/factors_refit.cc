// Fits the factors of machines anew to public sets, and prints
// catalog/shortlist/machine_factors.csv: the folder is an argument. The sets and the fit are those
// of shortlist-accuracy, with nothing left out. The last line is the number of rows.
#include <cstdio>

#include "figure.h"
#include "shortlist/set_cases.h"

int main(int argc, char** argv) {
  using namespace lapcast::shortlist;
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s DIR, the folder of public sets\n", argv[0]);
    return 2;
  }
  const FittedFactors fitted = fit_factors(PublicSets(argv[1]).without(""));
  std::fputs(factors_csv(fitted).c_str(), stdout);
  lapcast::print_figure("factors-refit", static_cast<double>(fitted.unseen.items.size()), "rows");
}
