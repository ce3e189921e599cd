#include "import/summary_event.h"

#include <string>

#include "import/wire_format.h"

namespace lapcast {
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
