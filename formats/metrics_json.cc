#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "formats/imported.h"
#include "formats/metrics_table.h"

namespace lapcast {
namespace {

using nlohmann::json;

void add_row(MetricsTable& table, const json& row, std::int64_t line) {
  if (!row.is_object()) return table.leave_out(line, "not a JSON object");
  MetricsRow numbers{line};
  for (const auto& [name, value] : row.items()) {
    const auto column = value.is_number() ? table.column(name) : std::nullopt;
    if (column) numbers.values.emplace_back(*column, value.get<double>());
  }
  if (numbers.values.empty()) return table.leave_out(line, "no number in it");
  table.add(std::move(numbers));
}

ImportedLog import_rows(std::string_view text, const std::string& source, MetricsTable table) {
  if (const json list = json::parse(text, nullptr, false); list.is_array()) {
    std::int64_t row = 0;
    for (const json& each : list) add_row(table, each, ++row);
    return table.runs(source);
  }
  std::int64_t line = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view row = text.substr(0, end);
    ++line;
    if (row.find_first_not_of(" \t\r") != std::string_view::npos)
      add_row(table, json::parse(row, nullptr, false), line);
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return table.runs(source);
}

}  // namespace

ImportedLog import_metrics_json(std::string_view text, const std::string& source) {
  return import_rows(text, source, MetricsTable("wandb"));
}

ImportedLog import_epochs_json(std::string_view text, const std::string& source) {
  return import_rows(text, source, MetricsTable("epochs-json"));
}

}  // namespace lapcast
