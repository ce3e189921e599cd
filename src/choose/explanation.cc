#include "choose/explanation.h"

#include <algorithm>
#include <cmath>

namespace lapcast {
namespace {

constexpr Money kLeast = Money::from_nanos(1);

/// Returns the highest price per hour with which a choice costs no more than `most`; with its own
/// it costs more.
std::optional<Money> affordable_price(const Choice& choice, Money most) {
  Offer offer = *choice.offer;
  const Candidate& candidate = *choice.candidate;
  const auto fits = [&](std::int64_t nanos) {
    offer.price = {Money::from_nanos(nanos)};
    const auto bill = quote(offer, *candidate.time, candidate.demand);
    return bill && bill->total.mid <= most;
  };
  std::int64_t low = 0;
  std::int64_t high = offer.price.per_hour.nanos();
  if (high <= 0 || !fits(low)) return std::nullopt;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return Money::from_nanos(low);
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
      each.price = affordable_price(*other, most);
      each.training = affordable_time(*other->offer, most, other->candidate->demand);
    } else {
      each.training = faster_training(first, *other);
    }
    if (each.training) each.epochs = epochs_in(*other->candidate, *each.training);
    needs.push_back(each);
  }
  return needs;
}

}  // namespace lapcast
