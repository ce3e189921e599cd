#include "price/odd_prices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/units.h"

namespace lapcast {
namespace {

constexpr double kOdd = 1000;  // times the median of its kind, or the inverse

/// Returns the accelerator of an offer: lists write its name in upper or lower case.
std::string kind_of(const Offer& offer) {
  std::string kind = offer.accelerator;
  for (char& c : kind) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return kind;
}

}  // namespace

std::vector<std::string> odd_prices(const std::vector<Offer>& offers,
                                    const std::vector<Offer>& others) {
  std::map<std::string, std::vector<double>> by_kind;
  for (const std::vector<Offer>* all : {&offers, &others})
    for (const Offer& offer : *all)
      by_kind[kind_of(offer)].push_back(offer.price.per_hour.dollars());
  std::map<std::string, double> usual;
  for (auto& [kind, prices] : by_kind) {
    const auto middle = prices.begin() + static_cast<std::ptrdiff_t>(prices.size() / 2);
    std::nth_element(prices.begin(), middle, prices.end());
    usual[kind] = *middle;
  }
  std::vector<std::string> lines;
  for (const Offer& offer : offers) {
    const double median = usual[kind_of(offer)];
    const double price = offer.price.per_hour.dollars();
    const bool dear = price > kOdd * median;
    const bool cheap = price > 0 && price < median / kOdd;
    if (median <= 0 || !(dear || cheap)) continue;
    lines.push_back(fmt::format("{}: {} per hour is {} the median of its kind, {}",
                                printable(offer.name), dollar_text(offer.price.per_hour),
                                dear ? "more than 1000 times" : "less than a thousandth of",
                                dollar_text(Money::from_nanos(std::llround(median * 1e9)))));
  }
  return lines;
}

}  // namespace lapcast
