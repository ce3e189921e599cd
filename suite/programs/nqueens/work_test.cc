#include "nqueens/work.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <vector>

namespace lapcast::workloads::nqueens {
namespace {

TEST(Laps, AreEqualShares) {
  const Laps laps(10, 4);  // The laps end at 2.5, 5, 7.5 and 10 items.
  EXPECT_EQ(laps.count(), 4);
  EXPECT_EQ(laps.end(0), 0);
  EXPECT_EQ(laps.size(1), 2);
  EXPECT_EQ(laps.size(2), 3);
  EXPECT_EQ(laps.size(3), 2);
  EXPECT_EQ(laps.end(4), 10);
  EXPECT_EQ(laps.lap_of(1), 1);
  EXPECT_EQ(laps.lap_of(2), 1);
  EXPECT_EQ(laps.lap_of(3), 2);
  EXPECT_EQ(laps.lap_of(8), 4);
  EXPECT_EQ(laps.lap_of(10), 4);
}

TEST(Laps, AnItemBelongsToTheLapThatItsNumberIsIn) {
  for (int64_t items = 1; items <= 40; ++items) {
    for (int64_t wanted = 1; wanted <= items; ++wanted) {
      const Laps laps(items, wanted);
      for (int64_t done = 1; done <= items; ++done) {
        EXPECT_GT(done, laps.end(laps.lap_of(done) - 1));
        EXPECT_LE(done, laps.end(laps.lap_of(done)));
      }
    }
  }
}

TEST(Laps, NoneIsEmpty) {
  EXPECT_EQ(Laps(3, 100).count(), 3);
  EXPECT_EQ(Laps(0, 100).count(), 1);
  EXPECT_EQ(Laps(0, 100).size(1), 0);
}

TEST(SpreadOrder, HasEveryItemOnce) {
  for (int64_t items = 1; items <= 300; ++items) {
    const SpreadOrder order(items);
    std::set<int64_t> seen;
    for (int64_t place = 0; place < items; ++place) seen.insert(order.item(place));
    EXPECT_EQ(static_cast<int64_t>(seen.size()), items);
    EXPECT_EQ(*seen.begin(), 0);
    EXPECT_EQ(*seen.rbegin(), items - 1);
  }
}

TEST(SpreadOrder, AShareHasItemsOfAllParts) {
  const SpreadOrder order(1000);
  for (int64_t first = 0; first < 1000; first += 50) {
    std::vector<int> of_each_tenth(10);
    for (int64_t place = first; place < first + 50; ++place) {
      ++of_each_tenth[static_cast<size_t>(order.item(place) / 100)];
    }
    for (const int count : of_each_tenth) {
      EXPECT_GE(count, 3);
      EXPECT_LE(count, 7);
    }
  }
}

TEST(Piece, IsARangeOfSimilarSize) {
  // Ten items in four pieces end at 2.5, 5, 7.5 and 10.
  const int64_t ends[] = {0, 2, 5, 7, 10};
  for (int64_t number = 1; number <= 4; ++number) {
    EXPECT_EQ((Piece{number, 4}.first(10)), ends[number - 1]);
    EXPECT_EQ((Piece{number, 4}.end(10)), ends[number]);
  }
  EXPECT_EQ((Piece{1, 3}.end(2)), 0);  // more pieces than items: some are empty
  EXPECT_EQ((Piece{3, 3}.end(2)), 2);
}

TEST(Piece, IsReadFromItsText) {
  const auto piece = parse_piece("3/20");
  ASSERT_TRUE(piece);
  EXPECT_EQ(piece->number, 3);
  EXPECT_EQ(piece->of, 20);
  EXPECT_TRUE(parse_piece("1/1")->is_whole());
  EXPECT_TRUE(parse_piece("1000000/1000000"));
  for (const char* text : {"", "3", "3/", "/20", "0/20", "21/20", "-1/20", "3/20 ", " 3/20",
                           "3/20/2", "3.0/20", "1/1000001", "1/99999999999999999999"}) {
    EXPECT_FALSE(parse_piece(text)) << text;
  }
}

TEST(PieceOfWork, AllPiecesDoEachItemOnceAndWhatWasBeforeOnce) {
  for (const int64_t of : {1, 4, 101, 200}) {
    std::vector<int> done(101);
    Work work;
    work.items = 101;
    work.before = {5, 7};
    work.search = [&](int64_t item) {
      ++done[static_cast<size_t>(item)];
      return Tally{1, 2};
    };
    Tally sum;
    for (int64_t number = 1; number <= of; ++number) {
      const Work part = piece_of(work, {number, of});
      int64_t laps = 0;
      sum += search_on_threads(part, 2, Laps(part.items, 3), [&](int64_t) { ++laps; });
      EXPECT_GE(laps, 1) << number << "/" << of;
    }
    EXPECT_EQ(sum.solutions, 5u + 101);
    EXPECT_EQ(sum.nodes, 7u + 2 * 101);
    for (const int count : done) EXPECT_EQ(count, 1);
  }
}

TEST(PieceOfWork, HasItemsOfAllPartsOfTheSearch) {
  Work work;
  work.items = 1000;
  std::vector<int> of_each_tenth(10);
  work.search = [&](int64_t item) {
    ++of_each_tenth[static_cast<size_t>(item / 100)];
    return Tally{};
  };
  const Work part = piece_of(work, {7, 20});
  EXPECT_EQ(part.items, 50);
  for (int64_t item = 0; item < part.items; ++item) part.search(item);
  for (const int count : of_each_tenth) {
    EXPECT_GE(count, 3);
    EXPECT_LE(count, 7);
  }
}

TEST(SearchOnThreads, DoesEachItemOnceAndReportsEachLap) {
  for (const int threads : {1, 3}) {
    std::vector<std::atomic<int>> done(101);
    Work work;
    work.items = 101;
    work.before = {5, 7};
    work.search = [&](int64_t item) {
      ++done[static_cast<size_t>(item)];
      return Tally{1, 2};
    };
    std::vector<int64_t> laps;
    const Tally tally = search_on_threads(work, threads, Laps(101, 10),
                                          [&](int64_t size) { laps.push_back(size); });
    EXPECT_EQ(tally.solutions, 5u + 101);
    EXPECT_EQ(tally.nodes, 7u + 2 * 101);
    std::sort(laps.begin(), laps.end());  // Two threads may end laps at the same time.
    EXPECT_EQ(laps, (std::vector<int64_t>{10, 10, 10, 10, 10, 10, 10, 10, 10, 11}));
    for (const auto& count : done) EXPECT_EQ(count, 1);
  }
}

}  // namespace
}  // namespace lapcast::workloads::nqueens
