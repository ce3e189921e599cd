#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "core/error.h"
#include "run/json_reader.h"
#include "run/text_bytes.h"

namespace lapcast {

/// Reads a text that is one JSON object, with brackets at most `most_depth` deep, by Reader's
/// read(node, value). The reason names the member that is missing or of the wrong kind.
template <class Reader, class Value>
Result<Value> read_json_object(std::string_view text, int most_depth) {
  const bool too_deep = json_depth(text) > most_depth;
  const auto root = nlohmann::json::parse(too_deep ? "" : text, nullptr, false);
  if (root.is_discarded()) return because("not one JSON object");
  Value value;
  const JsonProblem problem = Reader::read(root, value);
  if (problem.empty()) return value;
  return because(problem.starts_with('.') ? problem.substr(1) : "it" + problem);
}

}  // namespace lapcast
