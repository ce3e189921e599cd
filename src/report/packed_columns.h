#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

namespace lapcast {

struct PackedColumn {
  std::string name;
  std::vector<std::int64_t> values;
};

/// Returns the numbers in the format of pages: 64-bit little-endian, their bytes shuffled (all
/// first bytes, then all second bytes ...), raw deflate (RFC 1951), base64.
std::string packed(std::span<const std::int64_t> values);

/// Returns {"count": N, "columns": {NAME: packed(), ...}} for columns of N values each.
nlohmann::ordered_json packed_table(const std::vector<PackedColumn>& columns);

}  // namespace lapcast
