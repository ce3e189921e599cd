#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/money.h"
#include "core/result.h"

namespace lapcast {

/// Holds what the JSON of a DAWNBench entry says; empty = not said.
struct DawnbenchEntry {
  std::string model;
  std::string hardware;
  std::string framework;
  std::string date;  // "2018-11-06"
  std::string batch_size;
  std::optional<HourlyPrice> price;
};

/// Returns the reason when the text is no JSON object. Members of an unusual type count as not
/// said.
Result<DawnbenchEntry> parse_dawnbench_entry(std::string_view json);

}  // namespace lapcast
