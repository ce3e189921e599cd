#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "price/currency.h"
#include "price/offer.h"

namespace lapcast {

struct RejectedRow {
  std::int64_t line = 0;  // where the row begins, from 1
  Reason reason;          // "as_of: no date: a price without one cannot be used"
};

/// Has every row of a catalog in `offers` or in `rejected`, in the order of the file.
struct Catalog {
  std::vector<Offer> offers;
  std::vector<RejectedRow> rejected;
  std::map<std::string, ForeignPrice> foreign;  // listed in another currency, by the offer's name
};

/// Reads a catalog in lapcast's CSV form (docs/money.md): a header row, then one offer a row,
/// with the columns in any order. A row is rejected when a cell cannot be read or is missing, when
/// an earlier row has its name, when `currencies` has no rate for its currency, or when
/// why_not_valid() refuses its offer. Throws Error (bad input)
/// with file name and line when the header row is missing or damaged, lacks a required column, or
/// has an unknown one or one twice, and when there are more than kMostOffers rows. `file` is used
/// in messages only, `today` is in UTC.
Catalog parse_catalog(std::string_view csv, const std::string& file, Date today,
                      const Currencies& currencies = {});

/// Returns the offers in lapcast's CSV form, which parse_catalog() reads back.
std::string catalog_csv(const std::vector<Offer>& offers);

/// Returns the text of catalog/papers.csv as it was when lapcast was built.
std::string_view papers_catalog();

/// Returns the catalog of today's prices as it was when lapcast was built: catalog/current.csv.gz.
std::string_view shipped_catalog();

/// Returns true when the price is older than months_old months on the day `today` ("2026-11-20");
/// false when one of the two dates is not a date.
bool is_old(const Offer& offer, std::string_view today, int months_old = 12);

}  // namespace lapcast
