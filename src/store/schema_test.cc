#include "store/schema.h"

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

}  // namespace
}  // namespace lapcast
