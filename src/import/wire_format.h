#pragma once

#include <cstdint>
#include <string_view>

namespace lapcast {

/// The fields of one message in protobuf's wire format, in order. Reads only within its bytes,
/// knows no schema, does not recurse.
class WireFields {
 public:
  enum class Type : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

  explicit WireFields(std::string_view message) : rest_(message) {}

  /// The next field; false at the end, or where the message is damaged: see ok().
  bool next();
  std::uint64_t number() const { return number_; }
  Type type() const { return type_; }
  std::uint64_t integer() const { return integer_; }      // of varint, fixed64 and fixed32
  std::string_view bytes() const { return bytes_; }       // of bytes
  double as_double() const;                               // of fixed64
  float as_float() const;                                 // of fixed32
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

}  // namespace lapcast
