#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "price/offer.h"
#include "price/price_list.h"

namespace lapcast {

/// Names a price list to read.
struct PriceListRequest {
  std::string format;  // a name of price_list_format(), or "csv": lapcast's own form
  std::string place;   // a file, plain or with gzip, or an address that begins with https://
  PriceListOrigin origin;
};

/// Reads a price list; one in lapcast's own form has the currencies of read_own_prices(). An
/// address is fetched by curl: with https alone, or http from this machine; it follows no
/// redirection, and has limits of size and time. Throws Error (bad input) when the list cannot be
/// had, is too long, or is not of its format.
PriceList import_price_list(const PriceListRequest& request);

/// Returns the lists that update_prices() fetches where none are named.
std::vector<PriceListRequest> default_price_lists();

/// Returns the file with the prices that `lapcast catalog update` fetched, in lapcast's CSV form,
/// beside the default store. It may not exist.
std::filesystem::path updated_catalog_file();

/// Holds what an update did.
struct PriceUpdate {
  struct List {
    std::string place;
    PriceList list;       // empty when it failed
    std::string failure;  // empty = it was read
  };
  std::vector<List> lists;
  std::vector<Offer> before;  // what the file held
  std::vector<Offer> after;
};

/// Fetches the lists and merges their offers into updated_catalog_file(), which only its owner can
/// read and which is replaced as a whole. A list that fails leaves the offers that the file has.
PriceUpdate update_prices(const std::vector<PriceListRequest>& lists);

/// Returns the offers that came with lapcast, parsed at each call.
std::vector<Offer> shipped_offers();

/// Returns the offers that came with lapcast and those of updated_catalog_file(), the newest of
/// each machine type, region and terms; parsed when they are first asked for.
const std::vector<Offer>& current_offers();

}  // namespace lapcast
