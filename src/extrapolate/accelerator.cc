#include "extrapolate/accelerator.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/error.h"
#include "core/lower_case.h"
#include "core/units.h"
#include "price/csv_rows.h"

namespace lapcast {
namespace {

constexpr double kBytesPerGib = 1073741824.0;
constexpr double kSameMemory = 0.07;  // share by which lists round the size of a memory

/// Returns a name without what lists write in different ways: "NVIDIA A100-SXM4-80GB" and
/// "a100 sxm4 80gb" are the same.
std::string plain_name(std::string_view name) {
  std::string plain = letters_and_digits(name.substr(0, 200));
  for (const std::string_view maker : {"nvidia", "amd", "tesla"})
    if (plain.starts_with(maker)) plain.erase(0, maker.size());
  return plain;
}

/// Returns the GiB at the end of a plain name ("p10016gb" has none before its 16: 100 belongs to
/// the name, so only a size after a blank or a parenthesis counts) and cuts it off `name`.
std::optional<double> cut_memory(std::string_view& name) {
  const std::size_t at = name.find_last_of("( ");
  if (at == std::string_view::npos || at == 0) return std::nullopt;
  std::string_view tail = name.substr(at + 1);
  double size = 0;
  const auto [end, error] = std::from_chars(tail.data(), tail.data() + tail.size(), size);
  if (error == std::errc{} && plain_name({end, tail.data() + tail.size()}) == "gb") {
    name = name.substr(0, name.find_last_not_of("( ", at) + 1);
    return size;
  }
  if (plain_name(tail) != "gb") return std::nullopt;
  std::string_view before = name.substr(0, at);
  const std::size_t digits = before.find_last_of("( ");
  if (digits == std::string_view::npos) return std::nullopt;
  const std::string_view number = before.substr(digits + 1);
  if (std::from_chars(number.data(), number.data() + number.size(), size).ec != std::errc{})
    return std::nullopt;
  name = name.substr(0, name.find_last_not_of("( ", digits) + 1);
  return size;
}

bool is_size(const AcceleratorSpec& row, std::optional<double> gib) {
  return !gib || std::abs(row.memory_gib / *gib - 1) <= kSameMemory;
}

double positive_in(const CsvRow& row, std::size_t column) {
  const auto value = number_in(row.fields[column]);
  if (!value || *value <= 0)
    throw Error(ExitCode::bad_input, fmt::format("accelerators.csv:{}: '{}' is not above 0",
                                                 row.line, row.fields[column]));
  return *value;
}

AcceleratorSpec row_of(const CsvRow& row) {
  return {.name = row.fields[0],
          .family = row.fields[2],
          .memory_gib = positive_in(row, 3),
          .fp32_tflops = positive_in(row, 4),
          .tf32_tflops = positive_in(row, 5),
          .half_tflops = positive_in(row, 6),
          .bandwidth_gb_s = positive_in(row, 7),
          .year = static_cast<int>(positive_in(row, 8)),
          .source = row.fields[9]};
}

/// Returns "1/4" of "1/4 L4" as a number and cuts it off; 1 where no share is written.
double cut_share(std::string_view& name) {
  if (!name.starts_with("1/")) return 1;
  int parts = 0;
  const auto [end, error] = std::from_chars(name.data() + 2, name.data() + name.size(), parts);
  if (error != std::errc{} || parts < 1) return 1;
  name.remove_prefix(static_cast<std::size_t>(end - name.data()));
  return 1.0 / parts;
}

}  // namespace

AcceleratorTable::AcceleratorTable(std::string_view csv) {
  constexpr std::size_t kColumns = 11;
  for_each_csv_row(csv, [&](const CsvRow& row) {
    if (row.line == 1) return;
    if (!row.damage.empty() || row.fields.size() != kColumns)
      throw Error(ExitCode::bad_input,
                  fmt::format("accelerators.csv:{}: the row has not {} cells", row.line, kColumns));
    by_name_.emplace(plain_name(row.fields[0]), rows_.size());
    std::string_view aliases = row.fields[1];
    while (!aliases.empty()) {
      const std::size_t end = std::min(aliases.find('|'), aliases.size());
      by_name_.emplace(plain_name(aliases.substr(0, end)), rows_.size());
      aliases.remove_prefix(std::min(end + 1, aliases.size()));
    }
    rows_.push_back(row_of(row));
  });
}

const AcceleratorTable& AcceleratorTable::shipped() {
  static const AcceleratorTable table(accelerators_csv());
  return table;
}

const AcceleratorSpec* AcceleratorTable::exact(const std::string& plain) const {
  const auto found = by_name_.find(plain);
  return found == by_name_.end() ? nullptr : &rows_[found->second];
}

const AcceleratorSpec* AcceleratorTable::named(std::string_view key) const {
  for (const AcceleratorSpec& row : rows_)
    if (row.name == key) return &row;
  return nullptr;
}

std::vector<const AcceleratorSpec*> AcceleratorTable::other_sizes(
    const std::string& plain, const AcceleratorSpec& chosen) const {
  std::vector<const AcceleratorSpec*> others;
  for (auto alias = by_name_.lower_bound(plain);
       alias != by_name_.end() && alias->first.starts_with(plain); ++alias) {
    const AcceleratorSpec& row = rows_[alias->second];
    const std::string_view rest = std::string_view(alias->first).substr(plain.size());
    // "a100" goes on in "a10080gb", but "l4" does not in "l4048gb", nor "a10" in "a100".
    const bool is_variant = rest == fmt::format("{:g}gb", row.memory_gib) ||
                            rest.starts_with("sxm") || rest.starts_with("pcie") || rest == "nvl";
    if (is_variant && row.family == chosen.family && !is_size(row, chosen.memory_gib))
      others.push_back(&row);
  }
  return others;
}

Result<AcceleratorMatch> AcceleratorTable::find(std::string_view name,
                                                std::optional<double> memory_gib) const {
  const std::string whole(name);
  const AcceleratorSpec* found = exact(plain_name(name));
  if (found == nullptr) {
    const auto written = cut_memory(name);
    found = exact(plain_name(name));
    if (written && !memory_gib) memory_gib = written;
  }
  if (found == nullptr) return because(fmt::format("accelerator '{}' is in no table", whole));
  const std::string plain = plain_name(name);
  const auto others = other_sizes(plain, *found);
  if (is_size(*found, memory_gib)) {
    AcceleratorMatch match{found, 1, ""};
    if (!memory_gib && plain.find("gb") == std::string::npos && !others.empty())
      match.doubt = fmt::format("'{}' may have {:g} or {:g} GiB", whole, found->memory_gib,
                                others.front()->memory_gib);
    return match;
  }
  for (const AcceleratorSpec* other : others)
    if (is_size(*other, memory_gib)) return AcceleratorMatch{other, 1, ""};
  return AcceleratorMatch{found, 1,
                          fmt::format("'{}' has {:g} GiB in the offer and {:g} GiB in the table",
                                      whole, *memory_gib, found->memory_gib)};
}

Result<AcceleratorMatch> AcceleratorTable::find(const Offer& offer) const {
  if (offer.accelerator.empty()) return because("the offer has no accelerator");
  std::string_view name = offer.accelerator;
  const double share = cut_share(name);
  std::optional<double> gib;
  if (offer.accelerator_memory_bytes)
    gib = static_cast<double>(*offer.accelerator_memory_bytes) / kBytesPerGib / share;
  const std::string plain = plain_name(name);
  if (const AcceleratorSpec* own = exact(plain_name(offer.provider) + plain))
    return AcceleratorMatch{own, share, ""};
  // A machine type such as gpu_1x_h100_pcie or 1x-H100_NVL says more than the name.
  const std::string type = plain_name(offer.machine_type);
  const AcceleratorSpec* longest = nullptr;
  std::size_t length = plain.size();
  for (auto alias = by_name_.lower_bound(plain);
       alias != by_name_.end() && alias->first.starts_with(plain); ++alias)
    if (alias->first.size() > length && type.find(alias->first) != std::string::npos &&
        is_size(rows_[alias->second], gib)) {
      longest = &rows_[alias->second];
      length = alias->first.size();
    }
  if (longest != nullptr) return AcceleratorMatch{longest, share, ""};
  auto match = find(name, gib);
  if (match) match->share = share;
  return match;
}

std::int64_t accelerator_memory(const Offer& offer, const AcceleratorMatch& match) {
  if (offer.accelerator_memory_bytes) return *offer.accelerator_memory_bytes;
  return static_cast<std::int64_t>(match.accelerator->memory_gib * match.share * kBytesPerGib);
}

}  // namespace lapcast
