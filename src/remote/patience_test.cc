#include "remote/patience.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "core/error.h"
#include "remote/command.h"

namespace lapcast {
namespace {

using namespace std::chrono_literals;

class ContactPatience : public testing::Test {
 protected:
  ContactPatience() { setenv("LAPCAST_PATIENCE", "200ms", 1); }
  ~ContactPatience() override { unsetenv("LAPCAST_PATIENCE"); }

  /// What a command without a marker came to.
  static RunningCommand ended(const std::vector<std::string>& arguments) {
    auto command = RunningCommand::start(arguments, "mark");
    while (!command->ended()) command->wait(1000ms);
    return std::move(*command);
  }
};

TEST_F(ContactPatience, IsTenSecondsUnlessSaidOtherwise) {
  EXPECT_EQ(contact_patience(), Seconds{0.2});
  EXPECT_NEAR(longest_contact().count(), 1.2, 1e-9);
  unsetenv("LAPCAST_PATIENCE");
  EXPECT_EQ(contact_patience(), Seconds{10});
  for (const char* bad : {"soon", "99ms", "3601s", "-1"}) {
    setenv("LAPCAST_PATIENCE", bad, 1);
    EXPECT_THROW(contact_patience(), Error) << bad;
  }
}

TEST_F(ContactPatience, EndsWithACommandThatIsSilentBeforeItsMarker) {
  const RunningCommand command = ended({"sleep", "1000"});
  EXPECT_EQ(command.no_contact(), RunningCommand::NoContact::silent);
}

TEST_F(ContactPatience, EndsWithACommandThatPrintsWithoutEnd) {
  setenv("LAPCAST_PATIENCE", "1h", 1);
  const RunningCommand command = ended({"yes"});
  EXPECT_EQ(command.no_contact(), RunningCommand::NoContact::flood);
}

TEST_F(ContactPatience, OutlastsACommandThatReadsNowAndThen) {
  // Four times 0.9 s: longer than the patience, but something is read each time.
  setenv("LAPCAST_PATIENCE", "3s", 1);
  const RunningCommand command =
      ended({"sh", "-c",
             "for i in 1 2 3 4; do sleep 0.9; cat /proc/version >/dev/null; "
             "read line </proc/version; done; echo; echo mark"});
  EXPECT_EQ(command.no_contact(), RunningCommand::NoContact::none);
  EXPECT_TRUE(command.marker_seen());
}

TEST(SignsOfLife, EndWithTheirOwner) {
  SignsOfLife alive;
  alive.stop();
  alive.stop();
}

}  // namespace
}  // namespace lapcast
