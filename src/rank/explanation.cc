#include "rank/explanation.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "rank/spot_simulator.h"
#include "spot/spot_bill.h"

namespace lapcast {
namespace {

constexpr Money kLeast = Money::from_nanos(1);

/// Returns the highest price per hour at which a choice costs no more than `most`; at its own price
/// it costs more.
std::optional<Money> affordable_price(const Choice& choice, Money most) {
  Offer offer = *choice.offer;
  const Candidate& candidate = *choice.candidate;
  const auto fits = [&](std::int64_t nanos) {
    offer.price = {Money::from_nanos(nanos)};
    const auto bill = choice.spot ? spot_bill(offer, choice.spot->forecast, candidate.demand)
                                  : quote(offer, *candidate.time, candidate.demand);
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

/// Returns the longest training time with which a choice is faster than the first.
std::optional<Seconds> faster_training(const Choice& first, const Choice& other) {
  const Seconds training = other.candidate->time->mid;
  const Seconds start = other.quote.time.mid - training;  // wait, boot, set-up and sending
  const Seconds most = first.quote.time.mid - start - from_ns(1);
  return most.count() > 0 ? std::optional(std::min(most, training)) : std::nullopt;
}

/// Returns the most epochs, up to those of the candidate, that fit into the training time.
std::optional<std::int64_t> epochs_in(const Candidate& candidate, Seconds training) {
  if (!candidate.time_by_epochs || candidate.epochs <= 0) return std::nullopt;
  const auto fits = [&](double epochs) { return candidate.time_by_epochs(epochs) <= training; };
  if (!fits(1)) return std::nullopt;
  double low = 1;
  double high = candidate.epochs;
  if (fits(high)) low = high;
  while (high - low > 1) {
    const double middle = std::floor((low + high) / 2);
    (fits(middle) ? low : high) = middle;
  }
  return static_cast<std::int64_t>(low);
}

/// Returns the smallest utilisation of a machine (share of its hours) at which an hour of use costs
/// at most `most`.
template <class Terms>
std::optional<double> affordable_utilisation(Terms terms, Money most) {
  const auto fits = [&](double utilisation) {
    terms.utilisation = utilisation;
    return hourly_price(terms).per_hour <= most;
  };
  double low = terms.utilisation, high = 1;
  if (!fits(high)) return std::nullopt;
  for (double middle; middle = low + (high - low) / 2, middle > low && middle < high;)
    (fits(middle) ? high : low) = middle;
  return high;
}

/// Returns the utilisation at which an offer's hours cost that much; nullopt if they are already
/// paid (marginal costs).
std::optional<double> needed_utilisation(const Offer& offer, std::optional<Money> price) {
  if (!price) return std::nullopt;
  const auto needed = [&](const auto* terms) {
    const bool is_full = hourly_price(*terms).per_hour == offer.price.per_hour;
    return is_full ? affordable_utilisation(*terms, *price) : std::nullopt;
  };
  if (const auto* terms = std::get_if<Reserved>(&offer.terms)) return needed(terms);
  if (const auto* terms = std::get_if<Owned>(&offer.terms)) return needed(terms);
  return std::nullopt;
}

/// Returns the shortest mean time between interruptions with which a choice on spot machines is
/// better than the first.
std::optional<Seconds> needed_between_interruptions(SpotSimulator& simulator,
                                                    const Ranking& ranking, const Choice& choice) {
  constexpr Seconds kLongest{10 * 365.25 * 86400};
  constexpr double kPrecision = 1.001;
  const Choice& first = ranking.chosen.front();
  const Seconds wait{choice.candidate->wait_s};
  const auto wins = [&](double stretch) {
    const auto training = simulator.training(*choice.candidate, *choice.offer, stretch);
    if (!training) return false;
    const SpotForecast& forecast = (*training)->forecast;
    if (ranking.by != Objective::cost) return forecast.time.mid + wait < first.quote.time.mid;
    const auto bill = spot_bill(*choice.offer, forecast, choice.candidate->demand);
    return bill && bill->total.mid < first.quote.total.mid;
  };
  double low = 1, high = kLongest / choice.spot->between_interruptions;
  if (!(high > low) || !wins(high)) return std::nullopt;
  while (high / low > kPrecision) {
    const double middle = std::sqrt(low * high);
    (wins(middle) ? high : low) = middle;
  }
  return high * choice.spot->between_interruptions;
}

}  // namespace

std::vector<Needs> needs_of(const Ranking& ranking) {
  constexpr std::size_t kMostSimulated = 32;
  std::vector<Needs> needs;
  const bool is_explained = ranking.by == Objective::cost || ranking.by == Objective::time;
  if (!is_explained || ranking.chosen.empty()) return needs;
  const Choice& first = ranking.chosen.front();
  SpotSimulator simulator(ranking.spot);
  std::size_t simulated = 0;
  for (auto other = ranking.chosen.begin() + 1; other != ranking.chosen.end(); ++other) {
    Needs each{.choice = &*other};
    const Money most = first.quote.total.mid - kLeast;
    if (ranking.by == Objective::cost) {
      each.price = affordable_price(*other, most);
      each.utilisation = needed_utilisation(*other->offer, each.price);
    }
    if (other->spot) {
      if (++simulated <= kMostSimulated)
        each.between_interruptions = needed_between_interruptions(simulator, ranking, *other);
    } else {
      each.training = ranking.by == Objective::cost
                          ? affordable_time(*other->offer, most, other->candidate->demand)
                          : faster_training(first, *other);
    }
    if (each.training) each.epochs = epochs_in(*other->candidate, *each.training);
    needs.push_back(each);
  }
  return needs;
}

}  // namespace lapcast
