#pragma once

#include <cstdint>
#include <string_view>

namespace lapcast {

/// Returns the "masked" CRC-32C of the bytes: rotated and offset as in TFRecord files.
std::uint32_t masked_crc32c(std::string_view bytes);

}  // namespace lapcast
