#include "formats/accelerator_memory.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace lapcast {
namespace {

constexpr double kGib = 1073741824.0;
constexpr double kMostOfOneGib = 320;  // an accelerator of 2026 has 288 GiB at most
constexpr double kSame = 0.06;         // relative: 24564 MiB are sold as 24 GB

/// Holds the memory in GiB with which an accelerator is sold, by a part of its name. Makers' data
/// sheets as of 2026-11; the first part that a name has counts.
struct KnownMemory {
  std::string_view name;
  std::array<double, 2> gib;
};
constexpr KnownMemory kKnown[] = {
    {"B300", {288, 288}},   {"B200", {192, 180}},      {"GH200", {96, 141}},
    {"H200", {141, 141}},   {"H100", {80, 94}},        {"H800", {80, 80}},
    {"MI355X", {288, 288}}, {"MI325X", {256, 256}},    {"MI300X", {192, 192}},
    {"MI250", {128, 128}},  {"A100", {40, 80}},        {"A800", {80, 40}},
    {"L40", {48, 48}},      {"L20", {48, 48}},         {"L4", {24, 24}},
    {"A40", {48, 48}},      {"A30", {24, 24}},         {"A10", {24, 24}},
    {"A16", {16, 64}},      {"A2", {16, 16}},          {"V100", {16, 32}},
    {"P100", {16, 12}},     {"T4", {16, 16}},          {"6000ADA", {48, 48}},
    {"PRO6000", {96, 96}},  {"A6000", {48, 48}},       {"RTX6000", {48, 24}},
    {"A5000", {24, 24}},    {"5000ADA", {32, 32}},     {"A4000", {16, 16}},
    {"5090", {32, 32}},     {"5080", {16, 16}},        {"4090", {24, 48}},
    {"4080", {16, 16}},     {"4070TISUPER", {16, 16}}, {"4070", {12, 12}},
    {"3090", {24, 24}},     {"3080", {10, 12}},        {"2080TI", {11, 22}},
    {"TITANRTX", {24, 24}}, {"GAUDI2", {96, 96}},      {"GAUDI3", {128, 128}}};

/// Returns the letters and digits of a name, in capitals.
std::string letters_of(std::string_view name) {
  std::string plain;
  for (const char c : name)
    if (std::isalnum(static_cast<unsigned char>(c)))
      plain += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return plain;
}

bool is_near(double a, double b) {
  return std::abs(a / b - 1) <= kSame;
}

/// Returns the memory that a name tells, as in "A100-80GB"; 0 = none.
double memory_in_name(const std::string& plain) {
  const std::size_t gb = plain.find("GB");
  if (gb == std::string::npos) return 0;
  std::size_t begin = gb;
  while (begin > 0 && std::isdigit(static_cast<unsigned char>(plain[begin - 1]))) --begin;
  double number = 0;
  for (std::size_t i = begin; i < gb; ++i) number = 10 * number + (plain[i] - '0');
  // The digits of the model may stand before those of its memory: "A10080GB".
  if (number > 1000) number = std::fmod(number, gb - begin > 5 ? 1000 : 100);
  return number;
}

/// Says how often offers show that a list has the memory of one accelerator, or of all.
struct MemoryVotes {
  std::int64_t of_one = 0;
  std::int64_t of_all = 0;
  bool are_of_all() const { return of_all > of_one; }
  bool are_none() const { return of_one == 0 && of_all == 0; }
};

bool has_several(const Offer& offer) {
  return offer.accelerator_count > 1 && offer.accelerator_memory_bytes;
}

double gib_of(const Offer& offer) {
  return static_cast<double>(*offer.accelerator_memory_bytes) / kGib;
}

/// Adds what the offer itself says: a size that no accelerator has, or that of a known one.
void vote_by_specification(const Offer& offer, MemoryVotes& votes) {
  const double all = gib_of(offer);
  const double each = all / offer.accelerator_count;
  if (all > kMostOfOneGib) {
    ++votes.of_all;
    return;
  }
  const std::string plain = letters_of(offer.accelerator);
  std::array<double, 2> known{memory_in_name(plain), 0};
  if (known[0] <= 0) {
    const auto* const entry = std::ranges::find_if(
        kKnown, [&](const KnownMemory& one) { return plain.find(one.name) != plain.npos; });
    if (entry == std::end(kKnown)) return;
    known = entry->gib;
  }
  const auto matches = [&](double gib) { return is_near(gib, known[0]) || is_near(gib, known[1]); };
  if (matches(all) == matches(each)) return;
  ++(matches(all) ? votes.of_one : votes.of_all);
}

/// Adds what machines with different numbers of the same accelerator say: memory that grows with
/// the number is that of all, memory that stays is that of one.
void vote_by_other_counts(const std::vector<Offer*>& offers, MemoryVotes& votes) {
  std::map<int, std::vector<double>> by_count;
  for (const Offer* const offer : offers)
    by_count[offer->accelerator_count].push_back(gib_of(*offer));
  std::map<int, double> usual;
  for (auto& [count, sizes] : by_count) {
    std::ranges::nth_element(sizes, sizes.begin() + std::ssize(sizes) / 2);
    usual[count] = sizes[sizes.size() / 2];
  }
  for (auto one = usual.begin(); one != usual.end(); ++one)
    for (auto other = std::next(one); other != usual.end(); ++other) {
      if (is_near(other->second, one->second)) ++votes.of_one;
      if (is_near(other->second / other->first, one->second / one->first)) ++votes.of_all;
    }
}

}  // namespace

std::size_t settle_accelerator_memory(std::vector<Offer>& offers) {
  struct Same {
    std::vector<Offer*> offers;  // with one accelerator of a provider
    MemoryVotes votes;
  };
  std::map<std::pair<std::string_view, std::string_view>, Same> by_accelerator;
  for (Offer& offer : offers)
    if (offer.accelerator_count > 0 && offer.accelerator_memory_bytes)
      by_accelerator[{offer.provider, offer.accelerator}].offers.push_back(&offer);
  std::map<std::string_view, MemoryVotes> of_provider;
  for (auto& [key, same] : by_accelerator) {
    MemoryVotes& own = same.votes;
    vote_by_other_counts(same.offers, own);
    if (own.are_none())
      for (const Offer* const offer : same.offers)
        if (has_several(*offer)) vote_by_specification(*offer, own);
    MemoryVotes& all = of_provider[key.first];
    if (!own.are_none()) ++(own.are_of_all() ? all.of_all : all.of_one);
  }
  std::size_t changed = 0;
  for (const auto& [key, same] : by_accelerator) {
    const MemoryVotes& decides = same.votes.are_none() ? of_provider[key.first] : same.votes;
    if (!decides.are_of_all()) continue;
    for (Offer* const offer : same.offers) {
      if (!has_several(*offer)) continue;
      offer->accelerator_memory_bytes = *offer->accelerator_memory_bytes / offer->accelerator_count;
      ++changed;
    }
  }
  return changed;
}

}  // namespace lapcast
