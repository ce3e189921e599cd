#include "store/record.h"

#include <gmock/gmock.h>

namespace lapcast {
namespace {

std::string line_of(std::size_t bytes) {
  return "{" + std::string(bytes - 2, 'a') + "}";
}

TEST(Record, ShortLinesAreKeptAsTheyAre) {
  EXPECT_EQ(pack_record(line_of(kMostPlainBytes)), line_of(kMostPlainBytes));
  EXPECT_EQ(unpack_record("{}", 2), "{}");
}

TEST(Record, LongLinesAreCompressed) {
  const std::string line = line_of(kMostPlainBytes + 1);
  const std::string record = pack_record(line);
  EXPECT_EQ(record.front(), 'x');
  EXPECT_LT(record.size(), line.size() / 10);
  EXPECT_EQ(unpack_record(record, static_cast<std::int64_t>(line.size())), line);
}

TEST(Record, DamageIsAReason) {
  const std::string record = pack_record(line_of(10'000));
  for (const std::int64_t bytes : {0, 9'999, 10'001}) EXPECT_FALSE(unpack_record(record, bytes));
  EXPECT_FALSE(unpack_record(record.substr(0, record.size() - 1), 10'000));
  EXPECT_FALSE(unpack_record("x", 10));
  EXPECT_FALSE(unpack_record(record, -1));
  EXPECT_FALSE(unpack_record(record, INT64_MAX));
}

}  // namespace
}  // namespace lapcast
