#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "formats/price_list.h"
#include "price/offer.h"

namespace lapcast {

/// Names a price list to read.
struct PriceListRequest {
  std::string format;  // of formats/format_list.h, or "csv": lapcast's own form
  std::string place;   // a file, plain or with gzip, or an address that begins with https://
  PriceListOrigin origin;
};

/// Reads a price list; one in lapcast's own form has the currencies of
/// read_own_prices(own_prices). An
/// address is fetched by curl: with https alone, or http from this machine; it follows no
/// redirection, and has limits of size and time. Throws Error (bad input) when the list cannot be
/// had, is too long, or is not of its format.
PriceList import_price_list(const PriceListRequest& request, const std::string& own_prices);

/// Returns the lists that update_prices() fetches where none are named.
std::vector<PriceListRequest> default_price_lists();

/// Holds what an update did.
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
/// which only its owner can read and which is replaced as a whole. A list that fails, or has more
/// offers than the file takes (kMostOffers), leaves the offers that the file has. Prices that are
/// odd against those that came with lapcast, too, are warned of.
PriceUpdate update_prices(const std::vector<PriceListRequest>& lists,
                          const std::string& own_prices);

}  // namespace lapcast
