#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/imported.h"

namespace lapcast {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

// Steps 10, 20 and 30 at 0, 2 and 4 s.
TEST(Mlflow, LapsAreTheStepsOfTheMainMetric) {
  const ImportedLog imported =
      import_mlflow({{"loss", "1600000000000 1.5 10\n1600000002000 1.2 20\n1600000004000 1.1 30\n"},
                     {"system/cpu",
                      "1600000000500 7 0\n1600000001500 8 1\n1600000002500 8 2\n"
                      "1600000003500 8 3\n"}},
                    "mlruns/0/abc");
  EXPECT_TRUE(imported.problems.empty());
  ASSERT_EQ(imported.runs.size(), 1U);
  EXPECT_THAT(imported.runs[0].context.program, ElementsAre("mlflow", "loss"));
  EXPECT_EQ(imported.runs[0].context.started_at, "2020-09-13T12:26:40Z");
  const LapLog log = *laps_of(imported.runs[0]);
  EXPECT_EQ(log.damage, std::nullopt);
  EXPECT_EQ(log.laps.size(), 30U);
  EXPECT_NEAR(log.laps[29].seconds().count(), 0.2, 1e-6);
}

TEST(Mlflow, SaysWhatIsWrong) {
  EXPECT_THAT(import_mlflow({}, "x").problems, ElementsAre("no value in its folder metrics"));
  const ImportedLog imported = import_mlflow({{"loss", "now 1 2\n1600000000000 1 1\n"}}, "x");
  EXPECT_THAT(imported.problems, Contains(HasSubstr("not MILLISECONDS VALUE STEP")));
  EXPECT_EQ(imported.runs.size(), 1U);
}

}  // namespace
}  // namespace lapcast
