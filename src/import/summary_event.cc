#include "import/summary_event.h"

#include <bit>
#include <string>

namespace lapcast {

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
  integer_ = 0;
  for (std::size_t i = size; i-- > 0;) {
    integer_ = integer_ << 8 | static_cast<unsigned char>(rest_[i]);
  }
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
        ok_ = false;  // groups, which no writer of today uses
    }
  }
  return ok_;
}

double WireFields::as_double() const {
  return std::bit_cast<double>(integer_);
}

float WireFields::as_float() const {
  return std::bit_cast<float>(static_cast<std::uint32_t>(integer_));
}

namespace {

using Type = WireFields::Type;

// Numbers of fields: tensorflow/core/util/event.proto, framework/summary.proto, tensor.proto.
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

std::optional<double> one_number(std::string_view bytes, std::uint64_t type) {
  // A fixed field of a message without its tag.
  const bool is_float = type == kFloat && bytes.size() == 4;
  if (!is_float && !(type == kDouble && bytes.size() == 8)) return std::nullopt;
  std::string field(1, static_cast<char>(is_float ? 8 | 5 : 8 | 1));
  field += bytes;
  WireFields fields(field);
  if (!fields.next()) return std::nullopt;
  return is_float ? fields.as_float() : fields.as_double();
}

std::optional<double> scalar_of(std::string_view tensor) {
  std::uint64_t type = 0;
  std::optional<double> value;
  WireFields fields(tensor);
  while (fields.next()) {
    if (fields.number() == tensor_field::kType) type = fields.integer();
    if (fields.type() == Type::bytes) {
      if (fields.number() == tensor_field::kContent) value = one_number(fields.bytes(), type);
      if (fields.number() == tensor_field::kFloats) value = one_number(fields.bytes(), kFloat);
      if (fields.number() == tensor_field::kDoubles) value = one_number(fields.bytes(), kDouble);
    } else if (fields.number() == tensor_field::kFloats && fields.type() == Type::fixed32) {
      value = fields.as_float();
    } else if (fields.number() == tensor_field::kDoubles && fields.type() == Type::fixed64) {
      value = fields.as_double();
    }
  }
  return fields.ok() ? value : std::nullopt;
}

void take_value(std::string_view message, SummaryEvent& event) {
  SummaryEvent::Scalar scalar;
  std::optional<double> value;
  WireFields fields(message);
  while (fields.next()) {
    if (fields.number() == value_field::kTag && fields.type() == Type::bytes)
      scalar.tag = fields.bytes();
    if (fields.number() == value_field::kSimpleValue && fields.type() == Type::fixed32)
      value = fields.as_float();
    if (fields.number() == value_field::kTensor && fields.type() == Type::bytes)
      value = scalar_of(fields.bytes());
  }
  if (!fields.ok() || !value || scalar.tag.empty()) return;
  scalar.value = *value;
  event.scalars.push_back(scalar);
}

void take_summary(std::string_view message, SummaryEvent& event) {
  WireFields fields(message);
  while (fields.next()) {
    if (fields.number() == summary_field::kValue && fields.type() == Type::bytes)
      take_value(fields.bytes(), event);
  }
}

}  // namespace

std::optional<SummaryEvent> parse_summary_event(std::string_view record) {
  SummaryEvent event;
  WireFields fields(record);
  while (fields.next()) {
    if (fields.number() == event_field::kWallTime && fields.type() == Type::fixed64)
      event.wall_time = fields.as_double();
    if (fields.number() == event_field::kStep && fields.type() == Type::varint)
      event.step = static_cast<std::int64_t>(fields.integer());
    if (fields.number() == event_field::kSummary && fields.type() == Type::bytes)
      take_summary(fields.bytes(), event);
  }
  if (!fields.ok()) return std::nullopt;
  return event;
}

}  // namespace lapcast
