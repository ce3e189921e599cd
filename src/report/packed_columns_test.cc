#include "report/packed_columns.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "run/text_bytes.h"

namespace lapcast {
namespace {

/// Returns what a raw deflate stream in base64 holds; it must be `size` bytes.
std::string unpacked(const std::string& base64, std::size_t size) {
  const auto bytes = from_base64(base64);
  EXPECT_TRUE(bytes);
  std::string result(size + 1, '\0');
  z_stream stream{};
  inflateInit2(&stream, -15);
  std::string in = bytes.value_or("");
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  EXPECT_EQ(stream.total_out, size);
  inflateEnd(&stream);
  result.resize(stream.total_out);
  return result;
}

TEST(PackedColumns, FirstBytesComeFirst) {
  // 1 = 01 00 ..., 258 = 02 01 00 ..., -1 = ff ff ...
  const std::string bytes = unpacked(packed(std::vector<std::int64_t>{1, 258, -1}), 24);
  EXPECT_EQ(bytes.substr(0, 6), std::string("\x01\x02\xff\x00\x01\xff", 6));
  for (std::size_t byte = 2; byte < 8; ++byte)
    EXPECT_EQ(bytes.substr(3 * byte, 3), std::string("\0\0\xff", 3)) << byte;
}

TEST(PackedColumns, ManyEqualNumbersTakeFewBytes) {
  EXPECT_LT(packed(std::vector<std::int64_t>(100'000, 64)).size(), 5000U);
}

TEST(PackedColumns, ATableNamesItsColumnsAndCountsItsRows) {
  const auto table = packed_table({{"time_ns", {5, 6}}, {"samples", {1, 1}}});
  EXPECT_EQ(table["count"], 2);
  EXPECT_EQ(table["columns"].size(), 2U);
  EXPECT_EQ(unpacked(table["columns"]["time_ns"], 16).substr(0, 2), "\x05\x06");
}

TEST(PackedColumns, NoRowsAreNoBytes) {
  EXPECT_EQ(unpacked(packed({}), 0), "");
  EXPECT_EQ(packed_table({})["count"], 0);
}

}  // namespace
}  // namespace lapcast
