#include "fleet/found_sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/store_folder_test.h"

namespace lapcast {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class FoundSweepTest : public InTestFolder {
 protected:
  FoundSweep find(const ProgramContent& program, bool keep = false, bool again = false) {
    return find_or_begin(
        store_,
        {.key = "k", .fleet_file = "fleet.toml", .program = program, .again = again, .keep = keep});
  }
  Store store_ = Store::open(file());
  const ProgramContent one_{{"train.py", "1"}, {"lib.py", "1"}};
  const ProgramContent two_{{"train.py", "2"}, {"lib.py", "1"}};
};

TEST_F(FoundSweepTest, TheSameProgramGoesOn) {
  const FoundSweep first = find(one_);
  EXPECT_THAT(first.said, IsEmpty());
  const FoundSweep again = find(one_);
  EXPECT_EQ(again.sweep.id, first.sweep.id);
  EXPECT_THAT(again.said, IsEmpty());
}

TEST_F(FoundSweepTest, AChangedProgramBeginsAnewAndSaysWhatChanged) {
  const std::string first = find(one_).sweep.id;
  const FoundSweep changed = find(two_);
  EXPECT_NE(changed.sweep.id, first);
  EXPECT_THAT(changed.said, ElementsAre("the program changed since sweep " + first +
                                        ": train.py; measuring anew (--keep goes on with what was "
                                        "measured)"));
  // Once more it is known; and so is the first, when the change is taken back.
  EXPECT_EQ(find(two_).sweep.id, changed.sweep.id);
  EXPECT_EQ(find(one_).sweep.id, first);
  EXPECT_EQ(store_.sweeps().size(), 2u);
}

TEST_F(FoundSweepTest, KeepGoesOnWithTheNewestAndSaysSoEachTime) {
  const std::string first = find(one_).sweep.id;
  for (int i = 0; i < 2; ++i) {
    const FoundSweep kept = find(two_, true);
    EXPECT_EQ(kept.sweep.id, first);
    EXPECT_THAT(kept.said, ElementsAre("the program changed since sweep " + first +
                                       ": train.py; going on with what was measured (--keep)"));
  }
  EXPECT_NE(find(two_).sweep.id, first);
}

TEST_F(FoundSweepTest, AgainBeginsAnew) {
  const std::string first = find(one_).sweep.id;
  EXPECT_NE(find(one_, false, true).sweep.id, first);
}

TEST_F(FoundSweepTest, RunsThatNobodyFollowsAnyMoreAreNamed) {
  const std::string first = find(one_).sweep.id;
  store_.save_pending_run({"e1", first, "probe", "ssh box", "2026-11-22T00:00:00Z", "{}"});
  store_.save_pending_run({"e2", first, "probe", "ssh box", "2026-11-22T00:00:00Z", "{}"});
  store_.save_pending_run({"e3", "", "offload", "ssh box", "2026-11-22T00:00:00Z", "{}"});
  EXPECT_THAT(find(one_).said, IsEmpty());
  EXPECT_THAT(find(two_).said,
              testing::Contains(HasSubstr("2 runs of sweep " + first + " are still")));
}

// docs/store.md tells this format to those who read the store with other tools.
TEST_F(FoundSweepTest, TheStoredDescriptionIsTheDocumentedJson) {
  EXPECT_EQ(find(one_).sweep.description, R"({"program":{"lib.py":"1","train.py":"1"}})");
  EXPECT_EQ(store_.sweeps().back().description, find(one_).sweep.description);
  EXPECT_EQ(find_or_begin(store_, {.key = "s", .subject = "mnist-mlp", .program = one_})
                .sweep.description,
            R"({"program":{"lib.py":"1","train.py":"1"},"subject":"mnist-mlp"})");
}

TEST(SweepDescription, SurvivesAnyBytes) {
  const ProgramContent program{{"a\xff.py", "1"}, {"b \"c\".py", "2"}};
  const auto read = program_of_description(describe_sweep("set", program));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->at("b \"c\".py"), "2");
  for (const char* damaged : {"", "{}", "[]", "mnist-mlp", "{\"program\": 1}", "{\"program\":"})
    EXPECT_FALSE(program_of_description(damaged)) << damaged;
  EXPECT_TRUE(program_of_description("{\"program\": {\"a\": 1}}")->empty());
}

TEST(ShortList, NamesFive) {
  EXPECT_EQ(short_list({"a"}), "a");
  EXPECT_EQ(short_list({"a", "b", "c", "d", "e", "f", "g"}), "a, b, c, d, e and 2 more");
}

}  // namespace
}  // namespace lapcast
