#include "run/libraries.h"

#include <gmock/gmock.h>

namespace lapcast {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

lapcast::Run run_with(const std::vector<std::string>& lines) {
  lapcast::Run run;
  for (const std::string& line : lines)
    run.lap_logs.push_back("lapcast-laps 1\n0 hello clock=1\n" + line + "\n100 i 8\n");
  return run;
}

TEST(Libraries, AreNamedByTheLogsOfAllProcesses) {
  const lapcast::Run run =
      run_with({"0 library torch 2.11.0+cu130\n0 library cudnn 9.19.0", "0 library torch 1.0"});
  EXPECT_THAT(libraries_of(run),
              ElementsAre(Library{"torch", "2.11.0+cu130"}, Library{"cudnn", "9.19.0"}));
  EXPECT_EQ(libraries_text(run), "torch 2.11.0+cu130, cudnn 9.19.0");
  EXPECT_EQ(libraries_text(run_with({"0 note library torch 2"})), "");
}

TEST(Libraries, WithoutANameOrAVersionAreNone) {
  EXPECT_THAT(
      libraries_of(run_with({"0 library torch", "0 library \x1b[2J 1", "0 library a \x1b[2J",
                             "0 library a " + std::string(65, '1'), "5 library a 1"})),
      IsEmpty());
}

}  // namespace
}  // namespace lapcast
