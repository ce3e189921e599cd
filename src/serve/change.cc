#include "serve/change.h"

#include <array>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/units.h"
#include "run/run.h"
#include "run/text_bytes.h"

namespace lapcast {
namespace {

constexpr std::size_t kMostChangeBytes = 4096;
constexpr int kMostDepth = 2;
constexpr std::size_t kMostTextBytes = 200;

constexpr std::array<std::pair<std::string_view, Change::Kind>, 4> kActions{{
    {"tag-run", Change::Kind::tag_run},
    {"remove-run", Change::Kind::remove_run},
    {"name-sweep", Change::Kind::name_sweep},
    {"remove-sweep", Change::Kind::remove_sweep},
}};

/// Returns the text of a member; empty when there is none.
std::string text_of(const nlohmann::json& object, const char* key) {
  const auto member = object.find(key);
  return member != object.end() && member->is_string() ? member->get<std::string>() : "";
}

}  // namespace

Result<Change> parse_change(std::string_view body) {
  if (body.size() > kMostChangeBytes || json_depth(body) > kMostDepth)
    return because("the change is too long");
  const auto object = nlohmann::json::parse(body, nullptr, false);
  if (!object.is_object()) return because("the change is not an object of JSON");
  const std::string action = text_of(object, "action");
  for (const auto& [name, kind] : kActions) {
    if (name != action) continue;
    Change change{kind, text_of(object, "id"), text_of(object, "text")};
    if (!is_run_id(change.id)) return because("the change has no id");
    const bool removes = kind == Change::Kind::remove_run || kind == Change::Kind::remove_sweep;
    if (removes && text_of(object, "confirmed") != change.id)
      return because("the removal is not confirmed");
    if (change.text.size() > kMostTextBytes || printable(change.text) != change.text)
      return because("the text is too long, or has characters that cannot be shown");
    return change;
  }
  return because("there is no such action");
}

}  // namespace lapcast
