#include "choose/explanation.h"

#include <algorithm>
#include <cmath>

namespace lapcast {
namespace {

constexpr Money kLeast = Money::from_nanos(1);

/// Returns the highest price per hour at which so much use costs no more than `most`.
std::optional<Money> affordable_price(std::int64_t billed_ns, Money most) {
  if (billed_ns <= 0 || most < Money{}) return std::nullopt;
  const auto fits = [&](std::int64_t nanos) {
    return cost_of({Money::from_nanos(nanos)}, billed_ns) <= most;
  };
  // The estimate is exact but for the rounding of a cost to whole nano-dollars.
  const double exact = static_cast<double>(most.nanos()) * 3.6e12 / static_cast<double>(billed_ns);
  if (!(exact < 9e18)) return std::nullopt;
  std::int64_t low = 0;
  std::int64_t high = static_cast<std::int64_t>(exact * (1 + 1e-12)) + 2 +
                      static_cast<std::int64_t>(3.6e12 / static_cast<double>(billed_ns));
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return Money::from_nanos(low);
}

std::int64_t billed_ns_of(const Quote& quote) {
  std::int64_t billed = 0;
  for (const QuoteLine& line : quote.lines()) billed += line.billed_ns;
  return billed;
}

/// Returns the longest training with which a choice is faster than the first.
std::optional<Seconds> faster_training(const Choice& first, const Choice& other) {
  const Seconds training = other.candidate->time->mid;
  const Seconds start = other.quote.time.mid - training;  // wait, boot, set-up and sending
  const Seconds most = first.quote.time.mid - start - from_ns(1);
  return most.count() > 0 ? std::optional(std::min(most, training)) : std::nullopt;
}

std::optional<std::int64_t> epochs_in(const Candidate& candidate, Seconds training) {
  if (candidate.per_epoch_s <= 0 || candidate.epochs <= 0) return std::nullopt;
  const double epochs = std::floor((training.count() - candidate.fixed_s) / candidate.per_epoch_s);
  return epochs >= 1 ? std::optional(static_cast<std::int64_t>(std::min(epochs, candidate.epochs)))
                     : std::nullopt;
}

}  // namespace

std::vector<Needs> needs_of(const Ranking& ranking) {
  std::vector<Needs> needs;
  const bool is_explained = ranking.by == Objective::cost || ranking.by == Objective::time;
  if (!is_explained || ranking.chosen.empty()) return needs;
  const Choice& first = ranking.chosen.front();
  for (auto other = ranking.chosen.begin() + 1; other != ranking.chosen.end(); ++other) {
    Needs each{.choice = &*other};
    if (ranking.by == Objective::cost) {
      const Money most = first.quote.total.mid - kLeast;
      each.price = affordable_price(billed_ns_of(other->quote), most);
      each.training = affordable_time(*other->offer, most, other->candidate->before);
    } else {
      each.training = faster_training(first, *other);
    }
    if (each.training) each.epochs = epochs_in(*other->candidate, *each.training);
    needs.push_back(each);
  }
  return needs;
}

}  // namespace lapcast
