#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lap/lap_log_reader.h"

namespace lapcast {
namespace {

LapLog log_with(const std::string& lines) {
  return parse_lap_log("lapcast-laps 1\n0 hello clock=1 emitter=python/1\n" + lines);
}

SequencesSeen seen_in(const std::vector<std::string>& lines_of_processes) {
  std::vector<LapLog> logs;
  for (const std::string& lines : lines_of_processes) logs.push_back(log_with(lines));
  return merge_ranks(logs).sequences;
}

TEST(SequencesTest, EachLineIsALongerBatchAndTheLastSaysWhatMayCome) {
  const SequencesSeen seen = seen_in(
      {"100 i 8\n100 sequence 120 samples=8 process=1000 most=512 from=tokenizer.model_max_length\n"
       "200 i 8\n200 sequence 412 samples=8 process=3000 device=70 most=1024 "
       "from=config.n_positions\n"});
  ASSERT_EQ(seen.peaks.size(), 2U);
  EXPECT_EQ(seen.peaks[0].length, 120);
  EXPECT_EQ(seen.peaks[0].process_bytes, 1000);
  EXPECT_EQ(seen.peaks[0].device_bytes, 0);
  EXPECT_EQ(seen.peaks[1].length, 412);
  EXPECT_EQ(seen.peaks[1].device_bytes, 70);
  EXPECT_EQ(seen.most, 1024);
  EXPECT_EQ(seen.most_from, "config.n_positions");
}

TEST(SequencesTest, SmallerBatchesDoNotCountAndLargerOnesBeginAnew) {
  const SequencesSeen seen =
      seen_in({"1 sequence 100 samples=8 process=10\n"
               "2 sequence 900 samples=2 process=11\n"
               "3 sequence 50 samples=16 process=12\n"
               "4 sequence 60 samples=16 process=13\n"});
  ASSERT_EQ(seen.peaks.size(), 2U);
  EXPECT_EQ(seen.peaks[0].length, 50);
  EXPECT_EQ(seen.peaks[1].length, 60);
}

TEST(SequencesTest, OnceTokensAreCountedNothingElseIs) {
  const SequencesSeen seen =
      seen_in({"1 sequence 100 samples=8 process=10 most=512 from=dataset.max_length\n"
               "2 sequence 900 samples=1 process=12 unit=tokens\n"
               "3 sequence 950 samples=1 process=13 most=4096 from=batch_sampler.max_tokens "
               "unit=tokens\n"
               "4 sequence 70 samples=16 process=14\n"});
  EXPECT_TRUE(seen.by_tokens);
  ASSERT_EQ(seen.peaks.size(), 2U);
  EXPECT_EQ(seen.peaks[1].length, 950);
  EXPECT_EQ(seen.most, 4096);
}

TEST(SequencesTest, OfSeveralProcessesTheOneWithTheLongestCounts) {
  const SequencesSeen seen = seen_in({"1 sequence 100 samples=8 process=10\n",
                                      "1 sequence 200 samples=8 process=20\n", "1 i 8\n"});
  ASSERT_EQ(seen.peaks.size(), 1U);
  EXPECT_EQ(seen.peaks[0].process_bytes, 20);
}

TEST(SequencesTest, DamagedLinesAndNotesSayNothing) {
  const LapLog log = log_with(
      "1 note a sequence 300 samples=8 process=1\n"
      "2 sequence x samples=8 process=1\n"
      "3 sequence 0 samples=8\n"
      "4 sequence 99999999999999999999 samples=8\n"
      "5 sequence 300 samples=many\n"
      "6 sequence 300 samples=8 from=a:b\n"
      "7 sequence 300 samples=8 process=1");
  EXPECT_EQ(log.sequences, SequencesSeen{});
  ASSERT_TRUE(log.damage);
  EXPECT_EQ(log.damage->lines, 6);
}

}  // namespace
}  // namespace lapcast
