#include "choose/cost_curve.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <unordered_set>

namespace lapcast {
namespace {

/// What two choices have in common whose costs keep their order at every training time.
struct CurveKind {
  const Candidate* candidate;
  std::int64_t step_ns;
  std::int64_t minimum_ns;
  std::int64_t boot_ns;
  friend bool operator==(const CurveKind&, const CurveKind&) = default;
};

struct CurveKindHash {
  std::size_t operator()(const CurveKind& kind) const {
    std::size_t hash = std::hash<const Candidate*>{}(kind.candidate);
    for (const std::int64_t part : {kind.step_ns, kind.minimum_ns, kind.boot_ns}) {
      hash = (hash ^ static_cast<std::size_t>(part)) * 0x9E3779B97F4A7C15u;
      hash ^= hash >> 29;
    }
    return hash;
  }
};

}  // namespace

std::vector<PossibleWinner> possible_winners(const std::vector<Choice>& chosen) {
  std::unordered_set<CurveKind, CurveKindHash> found;
  std::vector<PossibleWinner> winners;
  for (const Choice& choice : chosen) {
    const Billing& billing = choice.offer->billing;
    const CurveKind kind{choice.candidate.get(), billing.step_ns, billing.minimum_ns,
                         choice.offer->boot_ns};
    if (found.insert(kind).second)
      winners.push_back({&choice, CostCurve(*choice.offer, choice.candidate->wait_s)});
  }
  return winners;
}

double relative(double value, double smallest) {
  if (smallest > 0) return value / smallest;
  return value > 0 ? std::numeric_limits<double>::infinity() : 1;
}

double score_of(double weight, double relative_cost, double relative_time) {
  return (weight > 0 ? weight * relative_cost : 0) +
         (weight < 1 ? (1 - weight) * relative_time : 0);
}

double Valuation::operator()(const CostCurve& curve, double training_s) const {
  if (by_ == Objective::cost) return curve.nano_dollars(training_s);
  if (by_ == Objective::time) return curve.seconds(training_s);
  return score_of(weight_, relative(curve.nano_dollars(training_s), smallest_cost_),
                  relative(curve.seconds(training_s), smallest_time_));
}

}  // namespace lapcast
