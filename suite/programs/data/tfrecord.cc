#include "data/tfrecord.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "data/crc32c.h"

namespace lapcast::workloads {
namespace {

using Bytes = std::span<const uint8_t>;

constexpr uint64_t kLengthBytes = 8, kCrcBytes = 4;

template <typename Number>
Number number_at(const uint8_t* at) {
  Number number = 0;
  std::memcpy(&number, at, sizeof number);
  return number;
}

uint32_t stored_crc(Bytes bytes) {
  return masked_crc(crc32c(bytes));
}

}  // namespace

TfRecordReader::TfRecordReader(std::filesystem::path file) : file_(std::move(file)) {
  std::error_code error;
  if (std::filesystem::is_directory(file_, error)) {
    throw FileError(file_.string() + ": is a folder");
  }
  in_.reset(std::fopen(file_.c_str(), "rbe"));
  if (!in_) throw FileError(file_.string() + ": " + std::strerror(errno));
}

size_t TfRecordReader::read(std::span<uint8_t> into) {
  const size_t got = std::fread(into.data(), 1, into.size(), in_.get());
  if (got < into.size() && std::ferror(in_.get())) {
    throw FileError(file_.string() + ": after byte " + std::to_string(offset_) +
                    ": cannot be read: " + std::strerror(errno));
  }
  offset_ += got;
  return got;
}

std::optional<Bytes> TfRecordReader::next() {
  const uint64_t at = offset_;
  std::array<uint8_t, kLengthBytes + kCrcBytes> head{};
  const size_t got = read(head);
  if (got == 0) return std::nullopt;
  begin_ = at;
  ++count_;
  if (got < head.size()) fail(got, "the file ends within the length of a record");
  if (number_at<uint32_t>(head.data() + kLengthBytes) !=
      stored_crc(Bytes(head).first(kLengthBytes))) {
    fail(kLengthBytes, "wrong checksum of a record's length");
  }
  const auto length = number_at<uint64_t>(head.data());
  if (length > kMostTfRecordBytes) {
    fail(0, "a record of " + std::to_string(length) + " bytes; at most " +
                std::to_string(kMostTfRecordBytes) + " are read");
  }
  begin_ = offset_;
  load(length);
  const Bytes data = Bytes(data_).first(length);
  if (number_at<uint32_t>(data_.data() + length) != stored_crc(data)) {
    fail(length, "wrong checksum of a record's data");
  }
  return data;
}

/// Reads data and checksum. A length that the file does not have costs at most twice the bytes that
/// exist.
void TfRecordReader::load(uint64_t length) {
  constexpr uint64_t kFirst = uint64_t{1} << 20;
  const uint64_t needed = length + kCrcBytes;
  uint64_t have = 0;
  while (have < needed) {
    const uint64_t most = std::max<uint64_t>({data_.size(), kFirst, 2 * have});
    const uint64_t until = std::min(needed, most);
    if (data_.size() < until) data_.resize(until);
    have += read(std::span(data_).subspan(have, until - have));
    if (have < until) {
      fail(have, "the file ends, " + std::to_string(needed - have) + " of " +
                     std::to_string(needed) + " bytes of a record's data and checksum are missing");
    }
  }
}

void TfRecordReader::fail(uint64_t position, const std::string& what) const {
  throw FileError(file_.string() + ": byte " + std::to_string(begin_ + position) + ": " + what +
                  " (record " + std::to_string(count_) + ")");
}

void append_tfrecord(std::vector<uint8_t>& to, Bytes data) {
  const uint64_t length = data.size();
  std::array<uint8_t, kLengthBytes + kCrcBytes> head{};
  std::memcpy(head.data(), &length, kLengthBytes);
  const uint32_t length_crc = stored_crc(Bytes(head).first(kLengthBytes));
  std::memcpy(head.data() + kLengthBytes, &length_crc, kCrcBytes);
  const uint32_t crc = stored_crc(data);
  std::array<uint8_t, kCrcBytes> tail{};
  std::memcpy(tail.data(), &crc, kCrcBytes);
  to.insert(to.end(), head.begin(), head.end());
  to.insert(to.end(), data.begin(), data.end());
  to.insert(to.end(), tail.begin(), tail.end());
}

}  // namespace lapcast::workloads
