#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "formats/price_list.h"
#include "price/offer.h"

namespace lapcast {

struct PriceListRequest {
  std::string format;  // of formats/format_list.h, or "csv": lapcast's own format
  std::string place;   // a file, plain or gzipped, or an address that begins with https://
  PriceListOrigin origin;
};

/// Reads a price list; one in lapcast's own format has the currencies of
/// read_own_prices(own_prices). curl fetches an address: only by https, or by http from this
/// machine, without redirections, and with limits of size and time. Throws Error (bad input) if the
/// list cannot be fetched, is too long, or is not in its format.
PriceList import_price_list(const PriceListRequest& request, const std::string& own_prices);

/// Returns the lists that update_prices() fetches by default.
std::vector<PriceListRequest> default_price_lists();

struct PriceUpdate {
  struct List {
    std::string place;
    PriceList list;          // without its offers; empty when it failed
    std::size_t offers = 0;  // of the list
    std::string failure;     // empty = it was read
  };
  std::vector<List> lists;
  std::size_t before = 0;  // offers that the file held
  std::size_t after = 0;
};

/// Fetches the lists by import_price_list() and merges their offers into updated_catalog_file(),
/// which only its owner can read and which is replaced as a whole. If a list fails, or would exceed
/// the file's limit of kMostOffers, the file keeps the offers that it has. Warns of prices that are
/// odd, also compared with those shipped with lapcast.
PriceUpdate update_prices(const std::vector<PriceListRequest>& lists,
                          const std::string& own_prices);

}  // namespace lapcast
