#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/units.h"
#include "report/table_writers.h"

namespace lapcast {
namespace {

/// Returns the decimals that show three significant digits without an exponent; at most 9.
int decimals_for(double value) {
  if (value == 0 || !std::isfinite(value)) return 0;
  const int digits_before = static_cast<int>(std::floor(std::log10(std::abs(value)))) + 1;
  return std::min(std::max(3 - digits_before, 0), 9);
}

std::string fixed(double value, int decimals) {
  if (!std::isfinite(value)) return "-";
  if (std::abs(value) >= 1e15) return fmt::format("{:.3g}", value);
  return fmt::format("{:.{}f}", value, decimals);
}

std::string dollars(Money amount) {
  const std::string text = rounded_decimal(amount);
  return text.starts_with('-') ? "-$" + text.substr(1) : "$" + text;
}

/// Returns " s" for "12.3 s"; empty for "4 min 12 s" and for text without a unit.
std::string_view unit_of(std::string_view text) {
  const std::size_t space = text.find(' ');
  return space != text.npos && space == text.rfind(' ') ? text.substr(space) : "";
}

std::string in_bounds(const std::string& mid, const std::string& low, const std::string& high) {
  const bool plain = low.find(' ') == low.npos && high.find(' ') == high.npos;
  const char* const dash = plain && !low.starts_with('-') ? "-" : " to ";
  return fmt::format("{} ({}{}{})", mid, low, dash, high);
}

std::string duration_in_bounds(const Interval<Seconds>& time) {
  std::string mid = format_duration(time.mid);
  if (time.low == time.high) return mid;
  std::string low = format_duration(time.low);
  std::string high = format_duration(time.high);
  const std::string_view unit = unit_of(mid);
  if (!unit.empty() && unit == unit_of(low) && unit == unit_of(high)) {
    low.resize(low.size() - unit.size());
    high.resize(high.size() - unit.size());
  }
  return in_bounds(mid, low, high);
}

std::string money_in_bounds(const Interval<Money>& cost) {
  if (cost.low == cost.high) return dollars(cost.mid);
  return in_bounds(dollars(cost.mid), rounded_decimal(cost.low), rounded_decimal(cost.high));
}

std::string number_in_bounds(const Interval<double>& number) {
  const int decimals = decimals_for(number.mid);
  const std::string mid = fixed(number.mid, decimals);
  if (number.low == number.high) return mid;
  if (std::isinf(number.high))
    return fmt::format("{} ({} or more)", mid, fixed(number.low, decimals));
  return in_bounds(mid, fixed(number.low, decimals), fixed(number.high, decimals));
}

struct ForPeople {
  std::string operator()(std::monostate) const { return "-"; }
  std::string operator()(const std::string& text) const { return text; }
  std::string operator()(std::int64_t count) const { return fmt::format("{}", count); }
  std::string operator()(bool truth) const { return truth ? "yes" : "no"; }
  std::string operator()(const Number& n) const { return fixed(n.value, n.decimals); }
  std::string operator()(const Percentage& share) const {
    return std::isfinite(share.value) ? format_share(share.value) : "-";
  }
  std::string operator()(Seconds time) const {
    return std::isnan(time.count()) ? "-" : format_duration(time);
  }
  std::string operator()(Money amount) const { return dollars(amount); }
  std::string operator()(const Interval<Seconds>& time) const { return duration_in_bounds(time); }
  std::string operator()(const Interval<Money>& cost) const { return money_in_bounds(cost); }
  std::string operator()(const Interval<double>& number) const { return number_in_bounds(number); }
};

}  // namespace

std::string for_people(const Cell& cell) {
  return std::visit(ForPeople{}, cell);
}

std::vector<bool> columns_of_figures(const Table& table) {
  std::vector<bool> figures(table.columns.size(), false);
  std::vector<bool> others(table.columns.size(), false);
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size() && i < figures.size(); ++i) {
      const bool text =
          std::holds_alternative<std::string>(row[i]) || std::holds_alternative<bool>(row[i]);
      if (text)
        others[i] = true;
      else if (row[i].index() != 0)
        figures[i] = true;
    }
  }
  for (std::size_t i = 0; i < figures.size(); ++i) figures[i] = figures[i] && !others[i];
  return figures;
}

}  // namespace lapcast
