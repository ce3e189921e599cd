#include "run/run_cost.h"

#include <algorithm>
#include <string>

#include "price/quote.h"
#include "run/attempts.h"

namespace lapcast {

std::vector<Offer> offers_of(std::span<const Run> runs) {
  std::vector<Offer> offers;
  for (const Run& run : runs)
    if (run.context.price &&
        std::find(offers.begin(), offers.end(), *run.context.price) == offers.end())
      offers.push_back(*run.context.price);
  return offers;
}

const Offer* offer_of(const Run& run, std::span<const Offer> offers) {
  const RunContext& context = run.context;
  if (context.price) return &*context.price;
  const std::string& wanted = context.offer.empty() ? context.machine_type.name : context.offer;
  const auto by_name = std::ranges::find(offers, context.offer, &Offer::name);
  if (!context.offer.empty() && by_name != offers.end()) return &*by_name;
  const auto by_type = std::ranges::find(offers, wanted, &Offer::machine_type);
  return by_type == offers.end() ? nullptr : &*by_type;
}

Result<Money> cost_of_time(const Run& run, Seconds time, std::span<const Offer> offers) {
  const Offer* offer = offer_of(run, offers);
  if (offer == nullptr) return because("it has no price");
  return quote(*offer, Interval<Seconds>::exactly(time)).map([](const Quote& bill) {
    return bill.total.mid;
  });
}

Result<Money> cost_of_run(const Run& run, std::span<const Offer> offers) {
  return cost_of_time(run, time_of_attempts(run), offers);
}

}  // namespace lapcast
