#include "machine/system_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lapcast {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

constexpr milliseconds kLong{60000};  // not waited for unless something hangs

TEST(OutputOf, ReturnsWhatWasPrinted) {
  EXPECT_EQ(output_of({"printf", "a;b $HOME"}, kLong).value(), "a;b $HOME");
}

TEST(OutputOf, GivesNoInput) {
  EXPECT_EQ(output_of({"cat"}, kLong).value(), "");
}

TEST(OutputOf, SaysThatTheProgramIsNotThere) {
  const auto result = output_of({"no-such-program-for-lapcast"}, kLong);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().text, HasSubstr("cannot be started"));
}

TEST(OutputOf, SaysThatItFailed) {
  EXPECT_EQ(output_of({"false"}, kLong).error().text, "false failed");
}

TEST(OutputOf, KillsWhatTakesTooLongWithItsChildren) {
  const auto result = output_of({"sh", "-c", "sleep 1000 & wait"}, milliseconds{30});
  EXPECT_EQ(result.error().text, "sh did not end in time");
}

TEST(OutputOf, KillsWhatClosesItsOutputAndStays) {
  const auto result = output_of({"sh", "-c", "exec >&-; sleep 1000"}, milliseconds{50});
  EXPECT_EQ(result.error().text, "sh did not end in time");
}

TEST(OutputOf, EndsWhatPrintsWithoutEnd) {
  EXPECT_FALSE(output_of({"yes"}, kLong));
}

}  // namespace
}  // namespace lapcast
