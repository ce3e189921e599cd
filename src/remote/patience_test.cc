#include "remote/patience.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "core/error.h"
#include "remote/agent_answer.h"
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
  // Four times 0.15 s: longer than the patience, but something is read each time.
  const RunningCommand command =
      ended({"sh", "-c", "for i in 1 2 3 4; do sleep 0.15; cat /proc/version >/dev/null; "
                         "read line </proc/version; done; echo; echo mark"});
  EXPECT_EQ(command.no_contact(), RunningCommand::NoContact::none);
  EXPECT_TRUE(command.marker_seen());
}

TEST_F(ContactPatience, AnAgentMaySayThatItIsAtWork) {
  const LocalHost host;
  const Interrupt interrupt;
  LineBuffer lines(1000);
  auto alive = host.start(
      {"sh", "-c", "for i in 1 2 3 4; do sleep 0.15; echo L; done; echo done; echo more"});
  EXPECT_EQ(agent_answer(host, *alive, lines, interrupt), "done");
  EXPECT_EQ(agent_answer(host, *alive, lines, interrupt), "more");
  auto silent = host.start({"sleep", "1000"});
  const auto none = agent_answer(host, *silent, lines, interrupt);
  ASSERT_FALSE(none);
  EXPECT_TRUE(none.error().passes);
  auto endless = host.start({"sh", "-c", "tr '\\0' x </dev/zero"});
  const auto too_long = agent_answer(host, *endless, lines, interrupt);
  ASSERT_FALSE(too_long);
  EXPECT_NE(too_long.error().reason.text.find("too long"), std::string::npos);
}

TEST(SignsOfLife, EndWithTheirOwner) {
  SignsOfLife alive;
  alive.stop();
  alive.stop();
}

}  // namespace
}  // namespace lapcast
