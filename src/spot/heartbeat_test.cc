#include "spot/heartbeat.h"

#include <gtest/gtest.h>

namespace lapcast {
namespace {

const std::vector<Heartbeat> kOneOfEach{
    SessionBegin{{5, 6}, "00000000000a", "boot-1", 60'000'000'000, "cpu", "box", false},
    SessionBeat{{7, 8}, "00000000000a", 42}, SessionEnd{{9, 10}, "00000000000a"},
    SessionLost{{11, 12}, "00000000000a"}, SessionRefused{{13, 14}, "cuda", "gpu-box"}};

TEST(HeartbeatLine, WordForWord) {
  EXPECT_EQ(heartbeat_line(kOneOfEach[0]),
            "begin 5 6 00000000000a boot-1 60000000000 cpu box here\n");
  EXPECT_EQ(heartbeat_line(kOneOfEach[1]), "beat 7 8 00000000000a 42\n");
  EXPECT_EQ(heartbeat_line(kOneOfEach[2]), "end 9 10 00000000000a\n");
  EXPECT_EQ(heartbeat_line(kOneOfEach[3]), "lost 11 12 00000000000a\n");
  EXPECT_EQ(heartbeat_line(kOneOfEach[4]), "refused 13 14 cuda gpu-box\n");
}

TEST(HeartbeatLine, IsReadBack) {
  std::string text;
  for (const Heartbeat& heartbeat : kOneOfEach) text += heartbeat_line(heartbeat);
  const HeartbeatLog log = parse_heartbeats(text);
  EXPECT_EQ(log.heartbeats, kOneOfEach);
  EXPECT_EQ(log.damaged_lines, 0u);
}

TEST(ParseHeartbeats, ATornLineCostsItselfOnly) {
  const std::string torn = "beat 7 8 0000";  // the machine died while it was written
  const HeartbeatLog log = parse_heartbeats(torn + "\n" + heartbeat_line(kOneOfEach[0]) + torn);
  EXPECT_EQ(log.heartbeats.size(), 1u);
  EXPECT_EQ(log.damaged_lines, 2u);
}

TEST(ParseHeartbeats, RefusesWhatIsOutOfRange) {
  for (const char* line :
       {"beat -7 8 a 1", "beat 7 9223372036854775807 a 1", "beat 7 8 a x", "beat 7 8 a",
        "beat 7 8 a 1 1", "pulse 7 8 a 1", "beat 7  a 1", "begin 5 6 a b 0 cpu box here",
        "begin 5 6 a b 1 cpu box there", "end 7 8 \x1b[2J", "\x01"}) {
    const HeartbeatLog log = parse_heartbeats(line);
    EXPECT_TRUE(log.heartbeats.empty()) << line;
    EXPECT_EQ(log.damaged_lines, 1u) << line;
  }
}

TEST(HeartbeatWord, HasNoBlanks) {
  EXPECT_EQ(heartbeat_word("a b\n\xFF"), "a_b__");
  EXPECT_EQ(heartbeat_word(""), "-");
  EXPECT_EQ(heartbeat_word(std::string(300, 'a')).size(), 100u);
}

}  // namespace
}  // namespace lapcast
