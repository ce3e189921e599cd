#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace lapcast {

/// Returns the CRC-32C of the bytes, rotated and offset as TensorFlow's record files keep it
/// (masked).
std::uint32_t masked_crc32c(std::string_view bytes);

/// Takes a TFRecord file apart, piece by piece: little-endian length (8 bytes), its masked CRC (4),
/// the data, their masked CRC (4). Both are checked.
class TfRecordReader {
 public:
  static constexpr std::size_t kLargest = 16 << 20;  // larger records (images) are skipped unread

  using Take = std::function<void(std::string_view data)>;

  /// Calls with the data of each record whose CRCs are right.
  void feed(std::string_view piece, const Take& take);

  std::int64_t records() const { return records_; }  // whole ones so far, skipped ones included
  std::int64_t damaged() const { return damaged_; }  // of them, by their data's CRC
  std::int64_t first_damaged() const { return first_damaged_; }  // its number, from 1
  /// Returns true once a length was damaged: nothing after it can be found.
  bool is_lost() const { return lost_; }
  /// Returns true where the file ends within a record; call it after the last piece.
  bool is_cut() const { return !rest_.empty() || skip_ > 0; }

 private:
  std::size_t take_record(std::string_view bytes, const Take& take);

  std::string rest_;
  std::uint64_t skip_ = 0;  // bytes of a large record that are still to come
  std::int64_t records_ = 0;
  std::int64_t damaged_ = 0;
  std::int64_t first_damaged_ = 0;
  bool lost_ = false;
};

}  // namespace lapcast
