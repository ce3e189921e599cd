#include "suite/split/pieces.h"

#include <gmock/gmock.h>

#include "campaign/fake_executor_test.h"

namespace lapcast {
namespace {

using ::testing::HasSubstr;

/// Returns a run of 2 s that counted a piece, and took 3 s of CPU time.
Run counted_piece(const std::string& id, const std::string& piece, std::int64_t solutions,
                  const std::string& machine = "a") {
  Run run = run_of_laps(2, 1, outcome::Ended{});
  run.context.id = id;
  run.context.settings = {{"n", "8"}, {"algorithm", "fast"}, {kPieceSetting, piece}};
  run.context.machine_type.name = machine;
  run.usage.user = Seconds{2.5};
  run.usage.system = Seconds{0.5};
  run.lap_logs[0] += fmt::format(
      "2000000000 metric solutions {}\n2000000000 metric nodes {}\n2000000000 metric seconds 2\n",
      solutions, 10 * solutions);
  return run;
}

Run killed_piece(const std::string& id, const std::string& piece) {
  Run run = counted_piece(id, piece, 0);
  run.outcome = outcome::Crashed{0, 9};
  return run;
}

TEST(PieceText, IsReadBack) {
  EXPECT_EQ(piece_text(0, 20), "1/20");
  EXPECT_EQ(piece_text(19, 20), "20/20");
  RunContext context;
  EXPECT_FALSE(piece_of(context, 20));
  context.settings[kPieceSetting] = "20/20";
  EXPECT_EQ(piece_of(context, 20), 19U);
  EXPECT_FALSE(piece_of(context, 21)) << "another number of pieces";
  for (const char* text : {"", "0/20", "21/20", "x", "3", "3/20x", "-1/20", "03/20"}) {
    context.settings[kPieceSetting] = text;
    EXPECT_FALSE(piece_of(context, 20)) << text;
  }
}

TEST(MergedPieces, AddUp) {
  const std::vector<lapcast::Run> runs{counted_piece("r1", "2/3", 30, "b"),
                                       counted_piece("r2", "1/3", 50),
                                       counted_piece("r3", "3/3", 12)};
  const SplitCount count = merge_pieces(runs, 3);
  EXPECT_EQ(count.done(), 3U);
  EXPECT_EQ(count.solutions(), 92);
  EXPECT_EQ(count.nodes(), 920);
  EXPECT_EQ(count.machines(), 2U);
  EXPECT_EQ(count.tries(), 3U);
  EXPECT_DOUBLE_EQ(count.time().count(), 6);
  EXPECT_DOUBLE_EQ(count.cpu().count(), 9);
  EXPECT_EQ(count.lost, Seconds{0});
  EXPECT_EQ(count.pieces[1].machine, "b");
  EXPECT_EQ(count.pieces[1].run, "r1");
  EXPECT_EQ(count.pieces[1].tries, 1U);
  EXPECT_EQ(count.why_not, "");
}

TEST(MergedPieces, NoneIsInTheSumTwice) {
  const std::vector<lapcast::Run> runs{killed_piece("r1", "1/2"), counted_piece("r2", "1/2", 40),
                                       counted_piece("r3", "1/2", 40),
                                       counted_piece("r4", "2/2", 52)};
  const SplitCount count = merge_pieces(runs, 2);
  EXPECT_EQ(count.solutions(), 92);
  EXPECT_EQ(count.pieces[0].run, "r2");
  EXPECT_EQ(count.pieces[0].tries, 3U);
  EXPECT_DOUBLE_EQ(count.lost.count(), 4) << "the killed run, and the second one that counted it";
  EXPECT_DOUBLE_EQ(count.lost_cpu.count(), 6);
  EXPECT_EQ(count.why_not, "");
}

TEST(MergedPieces, AMissingPieceSaysWhy) {
  const std::vector<lapcast::Run> runs{killed_piece("r1", "2/3"), counted_piece("r2", "3/3", 12)};
  const SplitCount count = merge_pieces(runs, 3);
  EXPECT_EQ(count.done(), 1U);
  EXPECT_EQ(count.solutions(), 12);
  EXPECT_EQ(count.pieces[0].reason, "it was not begun");
  EXPECT_THAT(count.pieces[1].reason, HasSubstr("signal 9"));
  EXPECT_EQ(count.pieces[2].reason, "");
  EXPECT_EQ(count.lost, Seconds{2});
}

TEST(MergedPieces, RunsOfOnePieceThatDifferAreNamed) {
  const std::vector<lapcast::Run> runs{counted_piece("r1", "1/2", 40),
                                       counted_piece("r2", "1/2", 41)};
  EXPECT_EQ(merge_pieces(runs, 2).why_not, "runs r1 and r2 of piece 1/2 found 40 and 41 solutions");
}

TEST(MergedPieces, RunsOfAnotherSplitDoNotCount) {
  const std::vector<lapcast::Run> runs{counted_piece("r1", "1/3", 40)};
  EXPECT_EQ(merge_pieces(runs, 2).done(), 0U);
  EXPECT_EQ(merge_pieces(runs, 2).tries(), 0U);
}

}  // namespace
}  // namespace lapcast
