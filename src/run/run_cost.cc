#include "run/run_cost.h"

#include <algorithm>

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
  const auto found = std::find_if(offers.begin(), offers.end(), [&](const Offer& offer) {
    return context.offer.empty() ? offer.machine_type == context.machine_type.name
                                 : offer.name == context.offer;
  });
  return found == offers.end() ? nullptr : &*found;
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
