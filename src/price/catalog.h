#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "price/offer.h"

namespace lapcast {

/// Holds a row of a catalog that cannot be used, and why.
struct RejectedRow {
  std::int64_t line = 0;
  Reason reason;  // It names the column: "as_of: no date: a price without one cannot be used".
};

/// Holds what was read of a catalog.
struct Catalog {
  std::vector<Offer> offers;
  std::vector<RejectedRow> rejected;
};

/// Reads a catalog in lapcast's CSV form (docs/catalog.md): a header row, then one offer a row;
/// columns may stand in any order, and an unknown column is an error. A row is rejected when it has
/// no date or source, a bad price, a name that another row has, or when why_not_valid() refuses its
/// offer. Throws Error (bad input) with file name and line when the text is no such catalog. `file`
/// is used in messages only, `today` is in UTC.
Catalog parse_catalog(std::string_view csv, const std::string& file, Date today);

/// Returns the text of catalog/papers.csv as it was when lapcast was built.
std::string_view papers_catalog();

/// Returns true when the price is older than months_old months on the day today ("2026-11-20").
bool is_old(const Offer& offer, std::string_view today, int months_old = 12);

}  // namespace lapcast
