#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.h"

namespace lapcast {

/// Returns a JSON line as a store keeps it: as it is up to kMostPlainBytes, else in zlib's format
/// (RFC 1950), which begins with 'x' where a line begins with '{'.
inline constexpr std::size_t kMostPlainBytes = 8192;
std::string pack_record(std::string line);

/// Returns the line of a record. `line_bytes` is its length, which is kept beside the record; a
/// record of another length is refused.
Result<std::string> unpack_record(std::string_view record, std::int64_t line_bytes);

}  // namespace lapcast
