// Checks that a file of own prices of any bytes is read or refused with one Error that names it,
// and that what is read can be applied to every kind of offer.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "price/own_prices_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lapcast;
  constexpr Date kToday{2026, 11, 22};
  try {
    const OwnPrices own =
        parse_own_prices({reinterpret_cast<const char*>(data), size}, "own.toml", kToday);
    std::vector<Offer> offers;
    for (const Terms& terms : {Terms{OnDemand{}}, Terms{Spot{}}, Terms{Owned{}},
                               Terms{Reserved{12, Money::parse("8760"), Money::parse("1"), 0.5}}}) {
      Offer& offer = offers.emplace_back();
      offer.name = name_of(terms);
      offer.machine_type = "a2";
      offer.price = {Money::parse("4")};
      offer.terms = terms;
      offer.as_of = "2026";
      offer.source = "a list";
    }
    apply(own, offers, kToday, true);
    for (const Offer& offer : offers)
      if (why_not_valid(offer, kToday)) std::abort();
    for (const auto& [code, rate] : own.currencies)
      if (!is_currency_code(code) || rate.usd <= Money{}) std::abort();
  } catch (const Error& error) {
    if (!std::string_view(error.what()).starts_with("own.toml:")) std::abort();
  }
  return 0;
}
