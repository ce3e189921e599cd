#include "choose/contenders.h"

#include <limits>
#include <unordered_set>

namespace lapcast {
namespace {

struct CurveKind {
  std::size_t candidate;
  std::int64_t step_ns;
  std::int64_t minimum_ns;
  std::int64_t boot_ns;
  friend bool operator==(const CurveKind&, const CurveKind&) = default;
};

struct CurveKindHash {
  std::size_t operator()(const CurveKind& kind) const {
    std::size_t hash = kind.candidate;
    for (const std::int64_t part : {kind.step_ns, kind.minimum_ns, kind.boot_ns}) {
      hash = (hash ^ static_cast<std::size_t>(part)) * 0x9E3779B97F4A7C15u;
      hash ^= hash >> 29;
    }
    return hash;
  }
};

}  // namespace

std::vector<Contender> contenders_of(const std::vector<Choice>& chosen,
                                     const std::vector<Offer>& offers) {
  std::unordered_set<CurveKind, CurveKindHash> seen;
  std::vector<Contender> contenders;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const Offer& offer = offers[chosen[i].offer];
    const CurveKind kind{chosen[i].candidate, offer.billing.step_ns, offer.billing.minimum_ns,
                         offer.boot_ns};
    if (seen.insert(kind).second) contenders.push_back({i, CostCurve(offer, chosen[i].wait_s)});
  }
  return contenders;
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
