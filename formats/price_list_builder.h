#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/listed_machine.h"
#include "formats/price_list.h"
#include "price/offer_room.h"

namespace lapcast {

/// Finds offers by name in a growing vector. Keeps four bytes of each name's hash side by side, so
/// that a search for a new name stays within one cache line; a std::unordered_map takes 19 % of an
/// import.
class NameIndex {
 public:
  /// Reserves space for this many names.
  void reserve(std::size_t names);
  /// Returns the position of the offer of that name; nullopt if it was not added.
  std::optional<std::size_t> find(std::string_view name, const std::vector<Offer>& offers) const;
  /// Adds the name of the offer at that position; find() must not know it yet.
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

/// Turns the machines of a price list into offers, and counts what it refuses.
class PriceListBuilder {
 public:
  PriceListBuilder(const PriceListOrigin& origin, Date today);

  void refuse(const std::string& reason) { ++list_.refused[reason]; }
  void count_row() { ++list_.rows; }
  /// Reserves space for this many offers.
  void expect(std::size_t offers);
  void add(const ListedMachine& machine);
  /// Returns the list, with warnings about outliers.
  PriceList take();

 private:
  Offer common(const ListedMachine& machine);
  /// Returns the number in a cell if it is above 0 and at most `most`; counts any other.
  std::optional<double> believed(const char* what, std::string_view cell, double most);
  void add_spot(const ListedMachine& machine, const Offer& common, std::optional<Money> on_demand);
  void add_commitment(std::string_view monthly, int months, const Offer& common);
  /// Adds an offer with the members of `common`, unless a known one is as new and as cheap. One
  /// whose machine type is known with other accelerators has its own in its machine type.
  void add(const Offer& common, Terms terms, HourlyPrice price);

  PriceListOrigin origin_;
  Date today_;
  PriceList list_;
  OfferRoom room_;
  NameIndex position_;  // of the offers
  std::string name_;    // of the offer being added; a member to reuse its memory
};

}  // namespace lapcast
