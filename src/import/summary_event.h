#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace lapcast {

/// Reads the fields of one message in protobuf's wire format, in order. It reads only within the
/// message, knows no schema and does not recurse.
class WireFields {
 public:
  enum class Type : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

  explicit WireFields(std::string_view message) : rest_(message) {}

  /// Reads the next field. Returns false at the end, or where the message is damaged: see ok().
  bool next();
  std::uint64_t number() const { return number_; }
  Type type() const { return type_; }
  std::uint64_t integer() const { return integer_; }  // of varint, fixed64 and fixed32
  std::string_view bytes() const { return bytes_; }   // of bytes
  double as_double() const;                           // of fixed64
  float as_float() const;                             // of fixed32
  bool ok() const { return ok_; }

 private:
  bool take_varint(std::uint64_t& value);
  bool take_fixed(std::size_t size);

  std::string_view rest_;
  std::uint64_t number_ = 0;
  Type type_ = Type::varint;
  std::uint64_t integer_ = 0;
  std::string_view bytes_;
  bool ok_ = true;
};

/// Holds what is used of one record of a TensorBoard event file (tensorflow.Event), as views into
/// the record.
struct SummaryEvent {
  struct Scalar {
    std::string_view tag;
    double value = 0;
  };
  double wall_time = 0;  // seconds since 1970
  std::int64_t step = 0;
  std::vector<Scalar> scalars;
};

/// Returns the event of a record; nothing when the record is no such message. Scalars are
/// simple_value (TensorFlow 1, PyTorch's SummaryWriter) and tensors of one float or double
/// (TensorFlow 2).
std::optional<SummaryEvent> parse_summary_event(std::string_view record);

}  // namespace lapcast
