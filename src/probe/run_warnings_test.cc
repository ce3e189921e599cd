#include "probe/run_warnings.h"

#include <gmock/gmock.h>

namespace lapcast {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(RunWarnings, NothingToSayOfARunThatWentWell) {
  LapLog log;
  log.epochs.push_back({.epoch = 1});
  EXPECT_THAT(warnings_about(lapcast::Run(), log, 0), IsEmpty());
}

TEST(RunWarnings, DamageLeftProcessesAndResuming) {
  LapLog log;
  log.damage = Damage{3, 46, "not a number"};
  log.epochs.push_back({.epoch = 4});
  EXPECT_THAT(warnings_about(lapcast::Run(), log, 2),
              ElementsAre("3 damaged lines in the lap log, the first at byte 46: not a number",
                          "2 processes outlived the program and were killed",
                          "the program resumed: its first epoch was number 4"));
}

TEST(RunWarnings, TheProgramsOwnWordsAboutResumingCountOnlyWithoutItsEpochs) {
  lapcast::Run run;
  run.standard_error = "Resuming from checkpoint 3\n";
  EXPECT_THAT(warnings_about(run, LapLog(), 0),
              ElementsAre("the program says that it resumed from a checkpoint"));
}

TEST(WarningOfForeignFiles, NamesThreeOfThem) {
  EXPECT_EQ(warning_of_foreign_files({}), "");
  EXPECT_EQ(warning_of_foreign_files({"/a"}),
            "the program wrote outside its run folder: /a; use {run_dir} or LAPCAST_RUN_DIR");
  EXPECT_EQ(warning_of_foreign_files({"/a", "/b\n", "/c", "/d", "/e"}),
            "the program wrote outside its run folder: /a, /b , /c and 2 more; use {run_dir} or "
            "LAPCAST_RUN_DIR");
}

}  // namespace
}  // namespace lapcast
