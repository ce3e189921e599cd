#include "suite/papers/paper_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "core/error.h"
#include "core/units.h"
#include "price/csv_rows.h"

namespace lapcast {
namespace {

constexpr std::size_t kMostNumbers = 12;

/// Returns the text without its first lines that begin with '#'.
std::string_view without_head(std::string_view csv) {
  while (csv.starts_with('#')) csv.remove_prefix(std::min(csv.find('\n'), csv.size() - 1) + 1);
  return csv;
}

}  // namespace

Printed printed(std::string_view text) {
  const auto value = number_in(text);
  if (!value || text.find_first_not_of("-.0123456789") != std::string_view::npos)
    throw Error(ExitCode::bad_input, fmt::format("no printed number: '{}'", printable(text, 40)));
  const std::size_t point = text.find('.');
  const int decimals =
      point == std::string_view::npos ? 0 : static_cast<int>(text.size() - point - 1);
  const double half = 0.5 * std::pow(10.0, -decimals);
  return {std::string(text), decimals, {*value - half, *value, *value + half}};
}

const std::string& PaperRow::text(std::string_view column) const {
  const auto cell = cells_.find(column);
  if (cell == cells_.end())
    throw Error(ExitCode::bad_input, fmt::format("no column '{}' in a paper's table", column));
  return cell->second;
}

std::optional<Printed> PaperRow::number_if(std::string_view column) const {
  const std::string& cell = text(column);
  if (cell.empty()) return std::nullopt;
  return printed(cell);
}

std::vector<PaperRow> paper_rows(std::string_view csv) {
  std::vector<std::string> header;
  std::vector<PaperRow> rows;
  for_each_csv_row(without_head(csv), [&](const CsvRow& row) {
    if (!row.damage.empty()) throw Error(ExitCode::bad_input, row.damage);
    if (header.empty()) {
      header = row.fields;
      return;
    }
    if (row.fields.size() != header.size())
      throw Error(ExitCode::bad_input,
                  fmt::format("a paper's table has {} cells where its header has {}, in line {}",
                              row.fields.size(), header.size(), row.line));
    std::map<std::string, std::string, std::less<>> cells;
    for (std::size_t i = 0; i < header.size(); ++i) cells[header[i]] = row.fields[i];
    rows.emplace_back(std::move(cells));
  });
  return rows;
}

const PaperRow& row_where(const std::vector<PaperRow>& rows,
                          const std::function<bool(const PaperRow&)>& condition) {
  const auto row = std::ranges::find_if(rows, condition);
  if (row == rows.end()) throw Error(ExitCode::bad_input, "a paper's table lacks a row");
  return *row;
}

Interval<double> over_rounding(std::initializer_list<Printed> numbers,
                               const std::function<double(std::span<const double>)>& function) {
  if (numbers.size() > kMostNumbers)
    throw Error(ExitCode::bad_input, "a figure of a paper depends on too many printed numbers");
  std::vector<double> values;
  for (const Printed& number : numbers) values.push_back(number.value.mid);
  Interval<double> result = Interval<double>::exactly(function(values));
  for (std::size_t ends = 0; ends < std::size_t{1} << numbers.size(); ++ends) {
    std::size_t i = 0;
    for (const Printed& number : numbers) {
      values[i] = (ends >> i & 1) != 0 ? number.value.high : number.value.low;
      ++i;
    }
    const double value = function(values);
    result.low = std::min(result.low, value);
    result.high = std::max(result.high, value);
  }
  return result;
}

Interval<double> printed_ratio(const Printed& a, const Printed& b) {
  return over_rounding({a, b}, [](auto x) { return x[0] / x[1]; });
}

}  // namespace lapcast
