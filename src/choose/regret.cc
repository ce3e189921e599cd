#include "choose/regret.h"

namespace lapcast {

Result<Regret> regret_of(std::size_t pick, std::span<const std::optional<double>> real) {
  if (pick >= real.size() || !real[pick]) {
    return because("the picked candidate was not run to its end");
  }
  Regret regret{0, pick, false};
  for (std::size_t i = 0; i < real.size(); ++i) {
    if (!real[i]) {
      regret.lower_bound = true;
    } else if (*real[i] < *real[regret.best]) {
      regret.best = i;
    }
  }
  const double best = *real[regret.best];
  const double lost = *real[pick] - best;
  if (lost > 0 && best <= 0) return because("the best candidate cost nothing");
  regret.relative = lost > 0 ? lost / best : 0;
  return regret;
}

Result<double> saving(Money baseline, Money cost) {
  if (baseline <= Money{}) return because("what it is compared with costs nothing");
  return (baseline - cost).dollars() / baseline.dollars();
}

}  // namespace lapcast
