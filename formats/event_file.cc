#include "formats/tensorboard.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "core/crc32c.h"

namespace lapcast {
namespace {

constexpr std::size_t kHead = 12;  // length and its CRC
constexpr std::size_t kTail = 4;

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return value;
}

}  // namespace

/// Consumes the record at the front of `bytes` and returns its length, or 0 if it is incomplete.
std::size_t TfRecordReader::take_record(std::string_view bytes, const Take& take) {
  if (bytes.size() < kHead) return 0;
  const std::uint64_t length = little_endian(bytes.substr(0, 8));
  if (little_endian(bytes.substr(8, 4)) != masked_crc32c(bytes.substr(0, 8))) {
    lost_ = true;
    return bytes.size();
  }
  if (length > kLargest) {
    ++records_;
    skip_ = std::min<std::uint64_t>(length, UINT64_MAX - kTail) + kTail;
    return kHead;
  }
  const std::size_t whole = kHead + static_cast<std::size_t>(length) + kTail;
  if (bytes.size() < whole) return 0;
  ++records_;
  const std::string_view data = bytes.substr(kHead, static_cast<std::size_t>(length));
  if (little_endian(bytes.substr(whole - kTail, kTail)) == masked_crc32c(data)) {
    take(data);
  } else {
    damaged_.add(records_, "damaged (CRC)");
  }
  return whole;
}

void TfRecordReader::feed(std::string_view piece, const Take& take) {
  if (lost_) return;
  // A large record comes in many pieces, and `rest_` keeps those that came before.
  const bool joined = !rest_.empty();
  if (joined) {
    rest_ += piece;
    piece = rest_;
  }
  while (!piece.empty() && !lost_) {
    if (skip_ > 0) {
      const auto skipped = static_cast<std::size_t>(std::min<std::uint64_t>(skip_, piece.size()));
      skip_ -= skipped;
      piece.remove_prefix(skipped);
      continue;
    }
    const std::size_t used = take_record(piece, take);
    if (used == 0) break;
    piece.remove_prefix(used);
  }
  if (joined) {
    rest_.erase(0, rest_.size() - piece.size());
  } else {
    rest_ = piece;
  }
  if (lost_) rest_.clear();
}

// Messages ----------------------------------------------------------------------------------------

bool WireFields::take_varint(std::uint64_t& value) {
  value = 0;
  for (int shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

bool WireFields::take_fixed(std::size_t size) {
  if (rest_.size() < size) return false;
  integer_ = little_endian(rest_.substr(0, size));
  rest_.remove_prefix(size);
  return true;
}

bool WireFields::next() {
  if (!ok_ || rest_.empty()) return false;
  std::uint64_t tag = 0;
  ok_ = take_varint(tag);
  number_ = tag >> 3;
  type_ = static_cast<Type>(tag & 7);
  if (ok_) {
    switch (type_) {
      case Type::varint:
        ok_ = take_varint(integer_);
        break;
      case Type::fixed64:
        ok_ = take_fixed(8);
        break;
      case Type::fixed32:
        ok_ = take_fixed(4);
        break;
      case Type::bytes: {
        std::uint64_t size = 0;
        ok_ = take_varint(size) && size <= rest_.size();
        if (!ok_) break;
        bytes_ = rest_.substr(0, static_cast<std::size_t>(size));
        rest_.remove_prefix(bytes_.size());
        break;
      }
      default:
        ok_ = false;  // groups, which no current writer uses
    }
  }
  return ok_;
}

std::optional<std::string_view> WireFields::bytes_of(std::uint64_t number) const {
  return number_ == number && type_ == Type::bytes ? std::optional(bytes_) : std::nullopt;
}

std::optional<double> WireFields::double_of(std::uint64_t number) const {
  if (number_ != number || type_ != Type::fixed64) return std::nullopt;
  return std::bit_cast<double>(integer_);
}

std::optional<double> WireFields::float_of(std::uint64_t number) const {
  if (number_ != number || type_ != Type::fixed32) return std::nullopt;
  return std::bit_cast<float>(static_cast<std::uint32_t>(integer_));
}

namespace {

// The numbers of the fields are those of tensorflow/core/util/event.proto, framework/summary.proto,
// tensor.proto.
namespace event_field {
constexpr std::uint64_t kWallTime = 1, kStep = 2, kSummary = 5;
}
namespace summary_field {
constexpr std::uint64_t kValue = 1;
}
namespace value_field {
constexpr std::uint64_t kTag = 1, kSimpleValue = 2, kTensor = 8;
}
namespace tensor_field {
constexpr std::uint64_t kType = 1, kContent = 4, kFloats = 5, kDoubles = 6;
}
constexpr std::uint64_t kFloat = 1, kDouble = 2;  // DataType

/// Decodes the number of a tensor that has only one; returns nullopt if it has several.
std::optional<double> one_number(std::string_view bytes, std::uint64_t type) {
  const std::uint64_t bits = little_endian(bytes.substr(0, 8));
  if (type == kFloat && bytes.size() == 4)
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  if (type == kDouble && bytes.size() == 8) return std::bit_cast<double>(bits);
  return std::nullopt;
}

std::optional<double> scalar_of(std::string_view tensor) {
  std::uint64_t type = 0;
  std::optional<double> value;
  WireFields fields(tensor);
  while (fields.next()) {
    if (fields.number() == tensor_field::kType) type = fields.integer();
    if (const auto content = fields.bytes_of(tensor_field::kContent))
      value = one_number(*content, type);
    if (const auto packed = fields.bytes_of(tensor_field::kFloats))
      value = one_number(*packed, kFloat);
    if (const auto packed = fields.bytes_of(tensor_field::kDoubles))
      value = one_number(*packed, kDouble);
    if (const auto single = fields.float_of(tensor_field::kFloats)) value = single;
    if (const auto single = fields.double_of(tensor_field::kDoubles)) value = single;
  }
  return fields.ok() ? value : std::nullopt;
}

void take_value(std::string_view message, SummaryEvent& event) {
  std::string_view tag;
  std::optional<double> value;
  WireFields fields(message);
  while (fields.next()) {
    if (const auto text = fields.bytes_of(value_field::kTag)) tag = *text;
    if (const auto simple = fields.float_of(value_field::kSimpleValue)) value = simple;
    if (const auto tensor = fields.bytes_of(value_field::kTensor)) value = scalar_of(*tensor);
  }
  if (fields.ok() && value && !tag.empty()) event.scalars.push_back({tag, *value});
}

}  // namespace

std::optional<SummaryEvent> parse_summary_event(std::string_view record) {
  SummaryEvent event;
  WireFields fields(record);
  while (fields.next()) {
    if (const auto time = fields.double_of(event_field::kWallTime)) event.wall_time = *time;
    if (fields.number() == event_field::kStep && fields.type() == WireFields::Type::varint)
      event.step = static_cast<std::int64_t>(fields.integer());
    if (const auto summary = fields.bytes_of(event_field::kSummary)) {
      WireFields values(*summary);
      while (values.next())
        if (const auto value = values.bytes_of(summary_field::kValue)) take_value(*value, event);
    }
  }
  return fields.ok() ? std::optional(std::move(event)) : std::nullopt;
}

}  // namespace lapcast
