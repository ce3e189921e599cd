#include "import/wire_format.h"

#include <bit>

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

double WireFields::as_double() const { return std::bit_cast<double>(integer_); }

float WireFields::as_float() const {
  return std::bit_cast<float>(static_cast<std::uint32_t>(integer_));
}

}  // namespace lapcast
