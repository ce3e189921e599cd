#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/byte_file.h"

namespace lapcast::workloads {

/// Reads and writes TensorFlow's TFRecord files. A file is a sequence of records: the length (8
/// bytes, little-endian), the masked CRC-32C of these 8 bytes, the data, the masked CRC-32C of the
/// data. Files that were packed as a whole are not read: a record of 35,615 bytes begins like a
/// gzip file.

inline constexpr uint64_t kTfRecordOverhead = 16;                  ///< bytes per record
inline constexpr uint64_t kMostTfRecordBytes = uint64_t{1} << 30;  ///< of one record's data

/// Walks through one file.
class TfRecordReader {
 public:
  /// Opens the file. Throws FileError.
  explicit TfRecordReader(std::filesystem::path file);

  /// Returns the data of the next record, valid until the next call, or nothing at the end of the
  /// file. Throws FileError with the byte offset when a checksum is wrong, the file ends within a
  /// record, or a record has more than kMostTfRecordBytes.
  std::optional<std::span<const uint8_t>> next();

  /// Returns the number of records read so far.
  uint64_t count() const { return count_; }

  /// Throws FileError: "FILE: byte OFFSET: WHAT (record N)" for the last record, counted from 1;
  /// `position` is a place within its data.
  [[noreturn]] void fail(uint64_t position, const std::string& what) const;

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  size_t read(std::span<uint8_t> into);
  void load(uint64_t length);

  std::filesystem::path file_;
  std::unique_ptr<std::FILE, Close> in_;
  uint64_t offset_ = 0;        // of what is read next
  std::vector<uint8_t> data_;  // grows, never shrinks
  uint64_t begin_ = 0;         // of the last record's data
  uint64_t count_ = 0;
};

/// Appends one record to bytes in memory.
void append_tfrecord(std::vector<uint8_t>& to, std::span<const uint8_t> data);

}  // namespace lapcast::workloads
