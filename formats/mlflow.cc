#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "formats/imported.h"
#include "formats/logged_scalars.h"

namespace lapcast {
namespace {

constexpr double kFirstMillisecond = 1e12;  // 2001
constexpr double kLastMillisecond = 4.1e12;

struct Value {
  std::string_view metric;
  LoggedScalars::Scalar scalar;
};

/// Returns the fields of a line, which single blanks separate.
std::vector<std::string_view> mlflow_fields(std::string_view line) {
  std::vector<std::string_view> fields;
  while (!line.empty() && fields.size() < 4) {
    const std::size_t end = std::min(line.find(' '), line.size());
    fields.push_back(line.substr(0, end));
    line.remove_prefix(std::min(line.size(), end + 1));
  }
  return fields;
}

/// Adds the values of a file: lines of milliseconds since 1970, the value and, since MLflow 1.0,
/// the step.
void add_values(std::string_view metric, std::string_view text, std::vector<Value>& values,
                ProblemCount& left_out) {
  std::int64_t line = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view row = text.substr(0, end);
    text.remove_prefix(std::min(text.size(), end + 1));
    ++line;
    while (row.ends_with('\r') || row.ends_with(' ')) row.remove_suffix(1);
    if (row.empty()) continue;
    const std::vector<std::string_view> fields = mlflow_fields(row);
    const auto time = fields.size() < 2 ? std::nullopt : text_as_number(fields[0]);
    const auto value = fields.size() < 2 ? std::nullopt : text_as_number(fields[1]);
    const auto step = fields.size() < 3 ? std::optional(0.0) : text_as_number(fields[2]);
    if (!time || !value || !step || !(*time > kFirstMillisecond && *time < kLastMillisecond) ||
        !(std::abs(*step) < 1e15)) {
      left_out.add(line, "not MILLISECONDS VALUE STEP");
      continue;
    }
    values.push_back(
        {metric, {line, std::llround(*time) * 1'000'000, std::llround(*step), *value}});
  }
}

}  // namespace

ImportedLog import_mlflow(const std::map<std::string, std::string>& metrics,
                          const std::string& source) {
  ImportedLog result;
  std::vector<Value> values;
  ProblemCount left_out;
  for (const auto& [metric, text] : metrics) add_values(metric, text, values, left_out);
  left_out.tell(result.problems, "lines left out in all");
  std::ranges::stable_sort(values, {}, [](const Value& v) { return v.scalar.at_ns; });
  const std::int64_t first_ns = values.empty() ? 0 : values.front().scalar.at_ns;
  LoggedScalars scalars;
  for (const Value& value : values)
    if (value.scalar.at_ns - first_ns <= kLongestRunNs) scalars.add(value.metric, value.scalar);
  if (scalars.empty())
    result.problems.emplace_back("no value in its folder metrics");
  else
    result.runs.push_back(scalars.run("mlflow", source, "", first_ns, "line"));
  return result;
}

}  // namespace lapcast
