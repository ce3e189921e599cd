#include "formats/price_list_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <utility>
#include <variant>
#include <vector>

#include "core/units.h"
#include "formats/accelerator_memory.h"
#include "price/odd_prices.h"

namespace lapcast {
namespace {

constexpr double kHoursPerMonth = 730;
constexpr double kPlaceholder = 700;      // SkyPilot's lists have it for TPUs without a price
constexpr double kMostMemoryGib = 65536;  // more than any machine has: the number is in MiB
constexpr double kLeastMemoryMib = 1024;  // less than any accelerator has: the number is in GiB

/// Returns the amount, or nullopt if the text is not a price from 0 to 1,000,000 USD.
std::optional<Money> price_in(std::string_view text) {
  const auto dollars = number_in(text);
  if (!dollars || *dollars < 0 || *dollars > 1e6) return std::nullopt;
  return Money::from_nanos(std::llround(*dollars * 1e9));
}

const char* why_no_price(std::string_view text) {
  if (text.empty()) return "no price";
  const auto dollars = number_in(text);
  if (!dollars) return "the price is not a number";
  return *dollars < 0 ? "the price is negative" : "the price is above 1,000,000 USD";
}

std::optional<std::int64_t> bytes_of_gib(std::optional<double> gib) {
  if (!gib) return std::nullopt;
  return std::llround(*gib * 1073741824.0);
}

/// Returns "2026-05-20" of "2026-05-20T10:01:06+00:00".
std::string day_in(std::string_view date) {
  return std::string(date.substr(0, date.size() > 10 ? 10 : date.size()));
}

/// Adds the accelerators to a machine type that does not tell them: "n1-standard-8+1xT4".
void name_accelerators(Offer& offer) {
  offer.machine_type += offer.accelerator.empty()
                            ? std::string("+0")
                            : fmt::format("+{}x{}", offer.accelerator_count, offer.accelerator);
}

std::uint32_t hash_of(std::string_view name) {
  return static_cast<std::uint32_t>(std::hash<std::string_view>()(name));
}

}  // namespace

void NameIndex::reserve(std::size_t names) {
  const std::size_t wanted = std::bit_ceil(2 * names + 2);
  if (wanted <= slots_.size()) return;
  const std::vector<Slot> before = std::exchange(slots_, std::vector<Slot>(wanted));
  for (const Slot& slot : before)
    if (slot.next_to != 0) put(slot);
}

void NameIndex::put(Slot slot) {
  std::size_t at = slot.hash & (slots_.size() - 1);
  while (slots_[at].next_to != 0) at = (at + 1) & (slots_.size() - 1);
  slots_[at] = slot;
}

std::optional<std::size_t> NameIndex::find(std::string_view name,
                                           const std::vector<Offer>& offers) const {
  if (slots_.empty()) return std::nullopt;
  const std::uint32_t hash = hash_of(name);
  for (std::size_t at = hash & (slots_.size() - 1); slots_[at].next_to != 0;
       at = (at + 1) & (slots_.size() - 1))
    if (slots_[at].hash == hash && offers[slots_[at].next_to - 1].name == name)
      return slots_[at].next_to - 1;
  return std::nullopt;
}

void NameIndex::add(std::string_view name, std::size_t position) {
  reserve(2 * ++used_ > slots_.size() ? 2 * used_ : 0);
  put({hash_of(name), static_cast<std::uint32_t>(position + 1)});
}

PriceListBuilder::PriceListBuilder(const PriceListOrigin& origin, Date today)
    : origin_(origin), today_(today) {}

void PriceListBuilder::expect(std::size_t offers) {
  offers = std::min(offers, kMostOffers);
  list_.offers.reserve(offers);
  position_.reserve(offers);
}

std::optional<double> PriceListBuilder::believed(const char* what, std::string_view cell,
                                                 double most) {
  const auto number = number_in(cell);
  if (number && *number > 0 && *number <= most) return number;
  const bool says_none = cell.empty() || (number && *number == 0);
  if (!says_none) ++list_.not_believed[fmt::format("{} not above 0 and at most {:g}", what, most)];
  return std::nullopt;
}

Offer PriceListBuilder::common(const ListedMachine& machine) {
  Offer offer;
  offer.provider = machine.provider.empty() ? origin_.provider : printable(machine.provider);
  offer.machine_type = printable(machine.machine_type);
  offer.region = printable(machine.region);
  offer.accelerator = printable(machine.accelerator);
  if (!offer.accelerator.empty()) {
    const auto count = believed("accelerator count", machine.accelerator_count, 1e6);
    if (count) offer.accelerator_count = static_cast<int>(std::ceil(*count));
    if (count && *count < 1)
      offer.accelerator = fmt::format("1/{:.0f} {}", 1 / *count, offer.accelerator);
    if (offer.machine_type.starts_with("n1-")) name_accelerators(offer);
  }
  offer.vcpus = believed("vCPUs", machine.vcpus, 1e6);
  offer.memory_bytes = bytes_of_gib(believed("memory in GiB", machine.memory_gib, kMostMemoryGib));
  if (const auto mib =
          believed("accelerator memory", machine.accelerator_memory_mib, kMostMemoryGib * 1024))
    offer.accelerator_memory_bytes = bytes_of_gib(*mib < kLeastMemoryMib ? *mib : *mib / 1024);
  offer.as_of = machine.date.empty() ? origin_.as_of : day_in(machine.date);
  offer.source = origin_.source;
  return offer;
}

void PriceListBuilder::add(const ListedMachine& machine) {
  if (machine.machine_type.empty())
    return refuse("no machine type: the price of an accelerator without its host");
  const Offer offer = common(machine);
  if (offer.as_of.empty()) return refuse("no date");
  if (offer.provider.empty()) return refuse("no provider");
  const auto price = price_in(machine.on_demand);
  const bool is_reservation =
      machine.on_demand.empty() && !(machine.one_year.empty() && machine.three_years.empty());
  if (price && price->nanos() == std::llround(kPlaceholder * 1e9) &&
      machine.spot == machine.on_demand)
    return refuse("a placeholder of 700 USD");
  if (price && *price > Money{}) {
    add(offer, machine.is_spot ? Terms(Spot{}) : Terms(OnDemand{}), {*price});
  } else if (!is_reservation) {
    refuse(price ? "the price is 0" : why_no_price(machine.on_demand));
  }
  add_spot(machine, offer, price);
  add_commitment(machine.one_year, 12, offer);
  add_commitment(machine.three_years, 36, offer);
}

void PriceListBuilder::add_spot(const ListedMachine& machine, const Offer& common,
                                std::optional<Money> on_demand) {
  if (machine.spot.empty()) return;  // not offered
  const auto price = price_in(machine.spot);
  if (!price) return refuse(fmt::format("spot: {}", why_no_price(machine.spot)));
  if (*price == Money{}) return refuse("spot: the price is 0");
  if (on_demand && *price >= *on_demand) return refuse("spot: not below the price on demand");
  add(common, Spot{}, {*price});
}

void PriceListBuilder::add_commitment(std::string_view monthly, int months, const Offer& common) {
  if (monthly.empty()) return;
  const auto price = price_in(monthly);
  if (!price || *price == Money{}) return refuse("commitment: no price above 0");
  const Reserved terms{months, {}, scaled(*price, 1 / kHoursPerMonth), 1};
  add(common, terms, hourly_price(terms));
}

void PriceListBuilder::add(const Offer& common, Terms terms, HourlyPrice price) {
  const auto* const reserved = std::get_if<Reserved>(&terms);
  name_.clear();
  for (const std::string_view part :
       {std::string_view(common.provider), std::string_view("/"),
        std::string_view(common.machine_type), std::string_view(common.region.empty() ? "" : "/"),
        std::string_view(common.region), std::string_view("/"), name_of(terms)})
    name_ += part;
  if (reserved) name_ += fmt::format("-{}m", reserved->months);
  const auto known = position_.find(name_, list_.offers);
  Offer* const earlier = known ? &list_.offers[*known] : nullptr;
  if (earlier && (earlier->accelerator != common.accelerator ||
                  earlier->accelerator_count != common.accelerator_count)) {
    Offer other = common;
    name_accelerators(other);
    return add(other, std::move(terms), price);
  }
  if (earlier && earlier->as_of == common.as_of && earlier->price <= price) {
    ++list_.merged;
    return;
  }
  Offer offer = common;
  offer.name = name_;
  offer.terms = std::move(terms);
  offer.price = price;
  if (const auto reason = why_not_valid(offer, today_)) return refuse(reason->text);
  if (!earlier) {
    room_.take(offer);
    position_.add(name_, list_.offers.size());
    list_.offers.push_back(std::move(offer));
    return;
  }
  ++list_.merged;
  const auto is_newer = *parse_date(offer.as_of) <=> *parse_date(earlier->as_of);
  if (is_newer > 0 || (is_newer == 0 && offer.price < earlier->price)) *earlier = std::move(offer);
}

PriceList PriceListBuilder::take() {
  list_.divided = settle_accelerator_memory(list_.offers);
  list_.warnings = odd_prices(list_.offers);
  return std::move(list_);
}

}  // namespace lapcast
