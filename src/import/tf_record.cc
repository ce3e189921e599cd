#include "import/tf_record.h"

#include <algorithm>
#include <boost/crc.hpp>

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

std::uint32_t masked_crc32c(std::string_view bytes) {
  boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc;
  crc.process_bytes(bytes.data(), bytes.size());
  const std::uint32_t value = crc.checksum();
  return ((value >> 15) | (value << 17)) + 0xa282ead8U;
}

/// Bytes of the record that `bytes` begins with; 0 = more are needed.
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
  } else if (damaged_++ == 0) {
    first_damaged_ = records_;
  }
  return whole;
}

void TfRecordReader::feed(std::string_view piece, const Take& take) {
  if (lost_) return;
  // A large record comes in many pieces: what is there already is not copied again each time.
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

}  // namespace lapcast
