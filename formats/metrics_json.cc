#include <re2/re2.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "formats/imported.h"
#include "formats/metrics_columns.h"
#include "formats/metrics_table.h"

namespace lapcast {
namespace {

using nlohmann::json;

/// Parses JSON as Python writes it, with NaN and Infinity.
json parsed(std::string_view text) {
  json value = json::parse(text, nullptr, false);
  if (!value.is_discarded()) return value;
  static const RE2 no_number(R"(([:\[,]\s*)(?:NaN|-?Infinity)\b)");
  std::string plain(text);
  RE2::GlobalReplace(&plain, no_number, "\\1null");
  return json::parse(plain, nullptr, false);
}

/// Returns the number of a member: its own, or its "mean" where several are summed up.
const json* number_of(const json& value) {
  if (value.is_number()) return &value;
  if (!value.is_object()) return nullptr;
  const auto mean = value.find("mean");
  return mean != value.end() && mean->is_number() ? &*mean : nullptr;
}

void add_row(MetricsTable& table, const json& row, std::int64_t line) {
  if (!row.is_object()) return table.leave_out(line, "not a JSON object");
  MetricsRow numbers{line};
  for (const auto& [name, value] : row.items()) {
    const json* const number = number_of(value);
    const auto column = number != nullptr ? table.column(name) : std::nullopt;
    if (column) numbers.values.emplace_back(*column, number->get<double>());
  }
  if (numbers.values.empty()) return table.leave_out(line, "no number in it");
  table.add(std::move(numbers));
}

ImportedLog import_rows(std::string_view text, const std::string& source, MetricsTable table) {
  const bool may_be_list = text.substr(0, text.find_first_of("[{") + 1).ends_with('[');
  if (const json list = may_be_list ? parsed(text) : json(); list.is_array()) {
    std::int64_t row = 0;
    for (const json& each : list) add_row(table, each, ++row);
    return table.runs(source);
  }
  std::int64_t line = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view row = text.substr(0, end);
    ++line;
    if (row.find_first_not_of(" \t\r") != std::string_view::npos) add_row(table, parsed(row), line);
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return table.runs(source);
}

}  // namespace

ImportedLog import_metrics_json(std::string_view text, const std::string& source) {
  return import_rows(text, source, MetricsTable("wandb"));
}

ImportedLog import_rows_json(std::string_view text, const std::string& source) {
  return import_rows(text, source, MetricsTable("metrics-json"));
}

bool names_metrics_json(std::string_view head) {
  static const RE2 key(R"re("([^"\\]{1,200})"\s*:)re");
  std::map<std::string, int> counts;
  bool has_times = false;
  re2::StringPiece rest(head.data(), head.size());
  for (std::string name; RE2::FindAndConsume(&rest, key, &name);) {
    has_times = has_times || names_times(name);
    if (counts_epochs(name) || counts_steps(name, true)) ++counts[name];
  }
  return has_times &&
         std::ranges::any_of(counts, [](const auto& count) { return count.second >= 2; });
}

ImportedLog import_epochs_json(std::string_view text, const std::string& source) {
  return import_rows(text, source, MetricsTable("epochs-json"));
}

}  // namespace lapcast
