#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/price_list.h"
#include "price/offer_room.h"

namespace lapcast {

/// Holds the cells of one machine of a price list, as texts; empty = the list does not say.
struct ListedMachine {
  std::string_view provider, machine_type, region, date;
  std::string_view accelerator, accelerator_count, vcpus, memory_gib, accelerator_memory_mib;
  std::string_view on_demand, spot;        // USD per hour
  std::string_view one_year, three_years;  // USD per month of a commitment
  bool is_spot = false;                    // on_demand is a price of spot capacity
};

/// Finds offers by their names in a vector that grows. It holds four bytes of each name's hash side
/// by side, where a search for a new name stays in one line of the processor's cache; a
/// std::unordered_map takes 19 % of an import.
class NameIndex {
 public:
  /// Makes room for so many names, as for all that add() brings.
  void reserve(std::size_t names);
  /// Returns the position of the offer of that name; nothing when it was not added.
  std::optional<std::size_t> find(std::string_view name, const std::vector<Offer>& offers) const;
  /// Adds a name that find() does not find, of the offer at that position.
  void add(std::string_view name, std::size_t position);

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t next_to = 0;  // position + 1; 0 = the slot is free
  };
  void put(Slot slot);

  std::vector<Slot> slots_;  // a power of two, at most half of them in use
  std::size_t used_ = 0;
};

/// Makes offers of the machines of a price list, and counts what is refused.
class PriceListBuilder {
 public:
  PriceListBuilder(const PriceListOrigin& origin, Date today);

  void refuse(const std::string& reason) { ++list_.refused[reason]; }
  void count_row() { ++list_.rows; }
  /// Makes room for so many offers.
  void expect(std::size_t offers);
  void add(const ListedMachine& machine);
  /// Returns the list, with warnings of outliers.
  PriceList take();

 private:
  Offer common(const ListedMachine& machine);
  /// Returns the number of a cell, above 0 and at most `most`. One that cannot be true is counted.
  std::optional<double> believed(const char* what, std::string_view cell, double most);
  void add_spot(const ListedMachine& machine, const Offer& common, std::optional<Money> on_demand);
  void add_commitment(std::string_view monthly, int months, const Offer& common);
  /// Adds an offer with the common members, unless an equal one is at least as good.
  void add(const Offer& common, Terms terms, HourlyPrice price);

  PriceListOrigin origin_;
  Date today_;
  PriceList list_;
  OfferRoom room_;
  NameIndex position_;  // of the offers
  std::string name_;    // of the offer that is added; kept for its memory
};

}  // namespace lapcast
