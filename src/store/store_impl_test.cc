#include "store/store_impl.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>

#include <array>

namespace lapcast {
namespace {

constexpr std::array<Migration, 3> kSteps{{{1, "CREATE TABLE a (x)"},
                                           {2, "ALTER TABLE a ADD COLUMN y"},
                                           {3, "INSERT INTO a VALUES (1, 2)"}}};

SQLite::Database memory() {
  return SQLite::Database(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
}

TEST(Migrations, AreNumberedFromOne) {
  std::int64_t expected = 1;
  for (const Migration& step : migrations()) EXPECT_EQ(step.version, expected++);
}

TEST(Migrations, ApplyFromEveryVersionOnce) {
  for (std::size_t from = 0; from <= kSteps.size(); ++from) {
    SQLite::Database db = memory();
    EXPECT_EQ(kind_of(db, kSteps), StoreKind::empty);
    if (from > 0) migrate(db, std::span(kSteps).first(from));
    EXPECT_EQ(kind_of(db, kSteps), from == 0   ? StoreKind::empty
                                   : from == 3 ? StoreKind::current
                                               : StoreKind::older);
    migrate(db, kSteps);
    migrate(db, kSteps);
    EXPECT_EQ(kind_of(db, kSteps), StoreKind::current);
    EXPECT_EQ(db.execAndGet("SELECT count(*) FROM a WHERE y = 2").getInt(), 1);
  }
}

TEST(Migrations, AllOrNone) {
  constexpr std::array<Migration, 2> kBroken{{{1, "CREATE TABLE a (x)"}, {2, "nonsense"}}};
  SQLite::Database db = memory();
  EXPECT_THROW(migrate(db, kBroken), SQLite::Exception);
  EXPECT_EQ(kind_of(db, kBroken), StoreKind::empty);
}

TEST(Migrations, NewerAndForeignAreKnown) {
  SQLite::Database db = memory();
  migrate(db, kSteps);
  EXPECT_EQ(kind_of(db, std::span(kSteps).first(2)), StoreKind::newer);
  db.exec("PRAGMA application_id = 1");
  EXPECT_EQ(kind_of(db, kSteps), StoreKind::foreign);
}

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
