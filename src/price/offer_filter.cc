#include "price/offer_filter.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>

namespace lapcast {
namespace {

bool is_at_least(const std::optional<std::int64_t>& known,
                 const std::optional<std::int64_t>& least) {
  return !least || (known && *known >= *least);
}

bool is_match(const Offer& offer, const OfferFilter& filter) {
  const bool holds_text =
      holds(offer.name, filter.text) || holds(offer.machine_type, filter.text) ||
      holds(offer.accelerator, filter.text) || holds(offer.provider, filter.text);
  return (!filter.most_per_hour || offer.price.per_hour <= *filter.most_per_hour) &&
         (!filter.accelerator_count || offer.accelerator_count == *filter.accelerator_count) &&
         (filter.terms.empty() || name_of(offer.terms) == filter.terms) &&
         holds(offer.accelerator, filter.accelerator) && holds(offer.provider, filter.provider) &&
         holds(offer.region, filter.region) && holds_text &&
         is_at_least(offer.memory_bytes, filter.least_memory_bytes) &&
         is_at_least(offer.accelerator_memory_bytes, filter.least_accelerator_memory_bytes);
}

/// Returns a text that is the same for offers of one provider, machine type, region and terms.
std::string identity(const Offer& offer) {
  std::string text;
  for (const std::string* part :
       {&offer.provider, &offer.service, &offer.machine_type, &offer.region})
    text += *part + '\n';
  text += name_of(offer.terms);
  if (const auto* reserved = std::get_if<Reserved>(&offer.terms))
    text += '\n' + std::to_string(reserved->months) + '\n' + exact_decimal(reserved->up_front);
  if (offer.provider.empty()) text += '\n' + offer.name;
  return text;
}

}  // namespace

bool holds(std::string_view text, std::string_view wanted) {
  if (wanted.empty()) return true;  // as most filters of a catalog are
  const auto squeezed = [](std::string_view name) {
    std::string kept;
    for (const char c : name)
      if (c != ' ' && c != '-' && c != '_')
        kept += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return kept;
  };
  return squeezed(text).find(squeezed(wanted)) != std::string::npos;
}

std::vector<const Offer*> matching_offers(std::span<const Offer> offers,
                                          const OfferFilter& filter) {
  std::vector<std::pair<HourlyPrice, const Offer*>> priced;  // close in memory: faster to sort
  for (const Offer& offer : offers)
    if (is_match(offer, filter)) priced.emplace_back(offer.price, &offer);
  std::ranges::sort(priced, [](const auto& a, const auto& b) {
    return std::tie(a.first, a.second->name) < std::tie(b.first, b.second->name);
  });
  std::vector<const Offer*> found;
  found.reserve(priced.size());
  for (const auto& [price, offer] : priced) found.push_back(offer);
  return found;
}

std::size_t count_of_both(const std::vector<Offer>& first, const std::vector<Offer>& second) {
  std::unordered_set<std::string> known;
  for (const std::vector<Offer>* offers : {&first, &second})
    for (const Offer& offer : *offers) known.insert(identity(offer));
  return known.size();
}

std::vector<Offer> newest_of(std::vector<Offer> first, std::vector<Offer> second) {
  if (second.empty()) return first;
  std::unordered_map<std::string, std::size_t> position;
  for (std::size_t i = 0; i < first.size(); ++i) position.try_emplace(identity(first[i]), i);
  for (Offer& offer : second) {
    const auto [known, added] = position.try_emplace(identity(offer), first.size());
    if (added) {
      first.push_back(std::move(offer));
    } else if (parse_date(offer.as_of) >= parse_date(first[known->second].as_of)) {
      first[known->second] = std::move(offer);
    }
  }
  return first;
}

}  // namespace lapcast
