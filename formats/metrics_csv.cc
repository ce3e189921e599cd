#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/imported.h"
#include "formats/metrics_columns.h"
#include "formats/metrics_table.h"
#include "formats/printed_table.h"
#include "price/csv_rows.h"

namespace lapcast {
namespace {

/// Returns whether a row names columns: one of them is an epoch or a step, and none is a number.
bool is_header(const CsvRow& row) {
  const auto names_count = [](const std::string& field) {
    return counts_epochs(field) || counts_steps(field);
  };
  return std::ranges::any_of(row.fields, names_count) &&
         std::ranges::none_of(row.fields,
                              [](const auto& field) { return text_as_number(field).has_value(); });
}

/// Returns the separator of a header that has no comma, which the logger lets one choose.
std::optional<char> separator_of(std::string_view header) {
  if (header.find(',') != std::string_view::npos) return std::nullopt;
  return header.find('\t') != std::string_view::npos ? '\t' : ';';
}

std::string with_commas(std::string_view text, char separator) {
  std::string commas(text);
  std::ranges::replace(commas, separator, ',');
  return commas;
}

}  // namespace

bool prints_epochs(std::string_view head) {
  const std::string csv = printed_table_as_csv(head);
  bool has_times = false;
  std::size_t rows = 0;
  for_each_csv_row(csv, [&](const CsvRow& row) {
    if (rows++ == 0) has_times = std::ranges::any_of(row.fields, names_times);
  });
  return has_times && rows >= 3;
}

bool names_metrics(std::string_view header) {
  const auto separator = separator_of(header);
  const std::string line = separator ? with_commas(header, *separator) : std::string(header);
  bool named = false;
  for_each_csv_row(line, [&](const CsvRow& row) {
    named = named || (row.damage.empty() && row.fields.size() >= 2 && is_header(row));
  });
  return named;
}

ImportedLog import_metrics_csv(std::string_view text, const std::string& source) {
  const std::string_view first = text.substr(0, text.find('\n'));
  std::string printed = names_metrics(first) ? "" : printed_table_as_csv(text);
  const auto separator = printed.empty() ? separator_of(first) : std::nullopt;
  std::string commas;
  if (!printed.empty()) text = printed;
  if (separator) text = commas = with_commas(text, *separator);
  MetricsTable table("keras-csv");
  std::vector<std::optional<std::size_t>> columns;
  bool after_header = false;
  for_each_csv_row(text, [&](const CsvRow& row) {
    if (!row.damage.empty()) return table.leave_out(row.line, row.damage);
    if (is_header(row)) {
      columns.clear();
      for (const std::string& name : row.fields) columns.push_back(table.column(name));
      after_header = true;
      return;
    }
    MetricsRow numbers{row.line, after_header};
    for (std::size_t i = 0; i < columns.size() && i < row.fields.size(); ++i)
      if (const auto value = cell_number(row.fields[i]); value && columns[i])
        numbers.values.emplace_back(*columns[i], *value);
    if (columns.empty()) return;
    if (numbers.values.empty()) return table.leave_out(row.line, "no number in it");
    table.add(std::move(numbers));
    after_header = false;
  });
  return table.runs(source);
}

}  // namespace lapcast
