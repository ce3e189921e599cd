#include "query/own_programs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>

#include "campaign/fake_executor_test.h"
#include "posix/folder_test.h"

namespace lapcast {
namespace {

class OwnProgramsOfStoreTest : public FolderTest {
 protected:
  /// Stores a run of 30 laps on a machine with that GPU, or with CPUs where `gpu` is empty.
  lapcast::Run add(const std::string& script, const std::string& machine, const std::string& gpu,
                   double lap_s, bool imported = false, const std::string& batch = "8") {
    lapcast::Run run = run_of_laps(30, lap_s, outcome::Enough{}, batch);
    run.context.id = "r" + std::to_string(++number_);
    run.context.working_dir = "/home/student";
    run.context.program = {"python3", script, "--batch", "{batch}"};
    run.context.settings["batch"] = batch;
    run.context.machine_type.name = machine;
    run.context.imported = imported;
    run.context.machine.threads = 4;
    if (!gpu.empty()) run.context.machine.accelerators = {{"nvidia", gpu, "", 0, ""}};
    store_.add(run);
    return run;
  }
  std::vector<OwnProgram> others_than(std::vector<lapcast::Run> current) const {
    return own_programs(store_, current);
  }

  int number_ = 0;
  Store store_ = Store::open(folder_ / "store.db");
};

TEST_F(OwnProgramsOfStoreTest, OtherProgramsOnTwoMachinesCount) {
  const lapcast::Run current = add("train.py", "home", "Tesla T4", 1);
  add("train.py", "v100", "Tesla V100-SXM2-16GB", 0.5);
  add("other.py", "home", "Tesla T4", 2);
  add("other.py", "v100", "Tesla V100-SXM2-16GB", 1.2);
  add("once.py", "home", "Tesla T4", 3);
  const auto own = others_than({current});
  ASSERT_EQ(own.size(), 1U);
  ASSERT_EQ(own[0].laps.size(), 2U);
  EXPECT_EQ(own[0].laps[0].accelerator->name, "T4");
  EXPECT_NEAR(own[0].laps[0].log_seconds, std::log(2), 1e-6);
  EXPECT_NEAR(own[0].laps[1].log_seconds, std::log(1.2), 1e-6);
  EXPECT_FALSE(own[0].laps[1].cpu);
  EXPECT_EQ(others_than({}).size(), 2U);  // of a profile, both are others
}

TEST_F(OwnProgramsOfStoreTest, ARunMayTellInWhichNumbersItComputed) {
  lapcast::Run told = add("a.py", "home", "Tesla T4", 1);
  std::string& log = told.lap_logs[0];
  log.insert(log.find('\n', log.find(" hello ")) + 1, "0 numbers amp\n");
  store_.add(told, true);
  add("a.py", "v100", "Tesla V100-SXM2-16GB", 0.5);
  const auto own = others_than({});
  ASSERT_EQ(own.size(), 1U);
  EXPECT_EQ(own[0].laps[0].precision, PrecisionClass::half);
  EXPECT_FALSE(own[0].laps[1].precision);
}

TEST_F(OwnProgramsOfStoreTest, OptionsMakeNoOtherProgramAndTheNewestCommandCounts) {
  for (const char* batch : {"8", "16"}) {
    add("other.py", "home", "", batch[0] == '8' ? 1 : 2, false, batch);
    add("other.py", "box", "", batch[0] == '8' ? 3 : 4, false, batch);
  }
  const auto own = others_than({});
  ASSERT_EQ(own.size(), 1U);
  EXPECT_NEAR(own[0].laps[0].log_seconds, std::log(4), 1e-6);  // "box" comes first
  EXPECT_EQ(own[0].laps[0].cpu->name, "box");
  EXPECT_EQ(own[0].laps[0].cpu->threads, 4);
}

TEST_F(OwnProgramsOfStoreTest, ImportedRunsAndLapsOfOtherSizesDoNotCount) {
  add("a.py", "home", "", 1);
  add("a.py", "box", "", 2, true);
  add("b.py", "home", "", 1);
  lapcast::Run other = add("b.py", "box", "", 2);
  other.lap_logs = run_of_laps(30, 2, outcome::Enough{}, "64").lap_logs;
  store_.add(other, true);
  EXPECT_TRUE(others_than({}).empty());
}

TEST_F(OwnProgramsOfStoreTest, ItReadsAFewRunsOfMany) {
  for (int i = 0; i < 40; ++i)
    for (const char* machine : {"home", "box"}) add(std::to_string(i) + ".py", machine, "", 1);
  const auto own = others_than({});
  EXPECT_EQ(own.size(), kMostOwnRead / 2);
}

}  // namespace
}  // namespace lapcast
