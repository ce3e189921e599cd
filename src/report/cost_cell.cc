#include "report/cost_cell.h"

#include "price/quote.h"

namespace lapcast {

PricedCell cost_cell(const Offer* offer, const Interval<Seconds>& time) {
  if (offer == nullptr) return {};
  const Result<Quote> bill = quote(*offer, time);
  if (!bill) return {{}, bill.error().text};
  return {bill->total, ""};
}

PricedCell cost_cell(const std::optional<Offer>& offer, const Result<Forecast>& forecast) {
  if (!forecast || !offer) return {};
  return cost_cell(&*offer, forecast->total);
}

}  // namespace lapcast
