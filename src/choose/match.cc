#include "choose/match.h"

#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace lapcast {
namespace {

using Wanting = std::unordered_map<std::string_view, std::vector<std::size_t>>;

std::unordered_set<std::string_view> wanted_names(const std::vector<Candidate>& candidates,
                                                  const std::vector<Offer>& offers) {
  std::unordered_set<std::string_view> wanted;
  for (const Candidate& candidate : candidates) {
    if (!candidate.offer.empty()) wanted.insert(candidate.offer);
  }
  std::unordered_set<std::string_view> found;
  if (wanted.empty()) return found;
  for (const Offer& offer : offers) {
    if (wanted.contains(offer.name)) found.insert(offer.name);
  }
  return found;
}

void add_pairs(Matches& matches, const Wanting& wanting, std::string_view key, std::size_t offer,
               bool& matched) {
  const auto found = wanting.find(key);
  if (found == wanting.end()) return;
  matched = true;
  for (const std::size_t candidate : found->second) matches.offers_of[candidate].push_back(offer);
}

}  // namespace

Matches match(const std::vector<Candidate>& candidates, const std::vector<Offer>& offers) {
  const auto names = wanted_names(candidates, offers);
  Wanting by_name;
  Wanting by_type;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Candidate& candidate = candidates[i];
    const std::string_view wanted =
        candidate.offer.empty() ? candidate.machine_type : candidate.offer;
    const bool is_name = !candidate.offer.empty() && names.contains(wanted);
    (is_name ? by_name : by_type)[wanted].push_back(i);
  }
  Matches matches;
  matches.offers_of.resize(candidates.size());
  for (std::size_t i = 0; i < offers.size(); ++i) {
    bool matched = false;
    add_pairs(matches, by_name, offers[i].name, i, matched);
    add_pairs(matches, by_type, offers[i].machine_type, i, matched);
    if (!matched) matches.offers_without.push_back(i);
  }
  return matches;
}

}  // namespace lapcast
