#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/crc32c.h"

namespace lapcast {

// The functions of this file write TensorBoard event files byte by byte, from the definitions of
// TFRecord files, of protobuf's wire format and of tensorflow.Event.

/// Returns the lowest `bytes` bytes of a number, the lowest one first.
inline std::string little_endian(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i));
  return text;
}

inline std::string tf_record(std::string_view data) {
  const std::string length = little_endian(data.size(), 8);
  return length + little_endian(masked_crc32c(length), 4) + std::string(data) +
         little_endian(masked_crc32c(data), 4);
}

inline std::string varint(std::uint64_t value) {
  std::string text;
  for (; value > 0x7f; value >>= 7) text += static_cast<char>(value | 0x80);
  return text + static_cast<char>(value);
}

/// Returns a protobuf field with a length, for text, bytes and messages.
inline std::string field(int number, std::string_view bytes) {
  return varint(static_cast<std::uint64_t>(number) << 3 | 2) + varint(bytes.size()) +
         std::string(bytes);
}

/// Returns an event. `wall_time` is in seconds since 1970; `value` is a simple_value() or a
/// tensor_value().
inline std::string event(double wall_time, std::int64_t step, std::string_view value = "") {
  std::string text = "\x09" + little_endian(std::bit_cast<std::uint64_t>(wall_time), 8) + "\x10" +
                     varint(static_cast<std::uint64_t>(step));
  if (!value.empty()) text += field(5, field(1, value));
  return text;
}

/// Returns a scalar as TensorFlow 1 and PyTorch write it.
inline std::string simple_value(std::string_view tag, float value) {
  return field(1, tag) + "\x15" + little_endian(std::bit_cast<std::uint32_t>(value), 4);
}

/// Returns a scalar as TensorFlow 2 writes it: a tensor of type DT_FLOAT.
inline std::string tensor_value(std::string_view tag, float value) {
  const std::string content = little_endian(std::bit_cast<std::uint32_t>(value), 4);
  return field(1, tag) + field(8, "\x08\x01" + field(4, content));
}

}  // namespace lapcast
