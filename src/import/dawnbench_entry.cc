#include "import/dawnbench_entry.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/units.h"
#include "import/imported.h"

namespace lapcast {
namespace {

using nlohmann::json;

constexpr std::size_t kMostText = 200;
constexpr double kMostPerHour = 1e6;
constexpr int kMostDepth = 64;

std::string text_of(const json& object, const char* key) {
  const auto member = object.find(key);
  if (member == object.end() || !member->is_string()) return "";
  return printable(member->get_ref<const std::string&>(), kMostText);
}

/// Returns the price, written as a number or as text.
std::optional<HourlyPrice> price_of(const json& object) {
  const auto member = object.find("costPerHour");
  if (member == object.end()) return std::nullopt;
  double dollars = NAN;
  if (member->is_number()) dollars = member->get<double>();
  if (member->is_string()) {
    try {
      const Money price = Money::parse(member->get_ref<const std::string&>());
      return price > Money{} ? std::optional(HourlyPrice{price}) : std::nullopt;
    } catch (const Error&) {
      return std::nullopt;
    }
  }
  if (!(dollars > 0 && dollars < kMostPerHour)) return std::nullopt;
  return HourlyPrice{Money::parse(fmt::format("{:.9f}", dollars))};
}

/// Returns the batch size, which entries put into "misc" or one level deeper.
std::string batch_size_of(const json& node, int depth) {
  if (!node.is_object() || depth > 3) return "";
  for (const auto& [key, value] : node.items()) {
    if (key == "batchSize" && value.is_number_integer()) return value.dump();
    if (std::string deeper = batch_size_of(value, depth + 1); !deeper.empty()) return deeper;
  }
  return "";
}

}  // namespace

Result<DawnbenchEntry> parse_dawnbench_entry(std::string_view text) {
  text = without_byte_order_mark(text);
  const auto no_deeper = [](int depth, json::parse_event_t, const json&) {
    return depth <= kMostDepth;
  };
  const json object = json::parse(text, no_deeper, false);
  if (!object.is_object()) return because("it is no JSON object");
  DawnbenchEntry entry;
  entry.model = text_of(object, "model");
  entry.hardware = text_of(object, "hardware");
  entry.framework = text_of(object, "framework");
  entry.date = text_of(object, "timestamp");
  entry.batch_size = batch_size_of(object, 0);
  entry.price = price_of(object);
  return entry;
}

}  // namespace lapcast
