#include "suite/papers/paper_offers.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "price/catalog.h"

namespace lapcast {
namespace {

// A day on which the prices of the papers were known; it only decides which of them are old.
constexpr Date kPricesKnown{2023, 12, 31};

}  // namespace

const std::vector<Offer>& paper_offers() {
  static const std::vector<Offer> offers =
      parse_catalog(papers_catalog(), "papers.csv", kPricesKnown).offers;
  return offers;
}

const Offer& paper_offer(const std::string& machine_type) {
  const auto offer = std::ranges::find(paper_offers(), machine_type, &Offer::machine_type);
  if (offer == paper_offers().end())
    throw Error(ExitCode::bad_input, fmt::format("papers.csv has no offer for {}", machine_type));
  return *offer;
}

}  // namespace lapcast
