#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "price/price_list.h"

namespace lapcast {

/// Holds the cells of one machine of a price list, as texts; empty = the list does not say.
struct ListedMachine {
  std::string_view provider, machine_type, region, date;
  std::string_view accelerator, accelerator_count, vcpus, memory_gib, accelerator_memory_mib;
  std::string_view on_demand, spot;        // USD per hour
  std::string_view one_year, three_years;  // USD per month of a commitment
  bool is_spot = false;                    // on_demand is a price of spot capacity
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
  void add_spot(const ListedMachine& machine, const Offer& common, std::optional<Money> on_demand);
  void add_commitment(std::string_view monthly, int months, const Offer& common);
  /// Adds an offer with the common members, unless an equal one is at least as good.
  void add(const Offer& common, Terms terms, HourlyPrice price);

  PriceListOrigin origin_;
  Date today_;
  PriceList list_;
  struct NameHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const {
      return std::hash<std::string_view>()(name);
    }
  };
  std::unordered_map<std::string, std::size_t, NameHash, std::equal_to<>> position_;  // by name
  std::string name_;  // of the offer that is added; kept for its memory
};

}  // namespace lapcast
