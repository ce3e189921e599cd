#include "probe/output_capture.h"

#include <gtest/gtest.h>

namespace lapcast {
namespace {

TEST(OutputCapture, KeepsShortOutputWhole) {
  OutputCapture capture;
  EXPECT_EQ(capture.text(), "");
  capture.append("a\n");
  capture.append("b");
  EXPECT_EQ(capture.text(), "a\nb");
  EXPECT_EQ(capture.total_bytes(), 3);
}

TEST(OutputCapture, KeepsHeadAndTailOfAFlood) {
  OutputCapture capture;
  capture.append(std::string(OutputCapture::kHead, 'h'));
  for (int i = 0; i < 40; ++i) capture.append(std::string(64 * 1024, 'm'));
  capture.append("the end");
  const std::string text = capture.text();
  EXPECT_TRUE(text.starts_with(std::string(OutputCapture::kHead, 'h')));
  EXPECT_TRUE(text.ends_with("the end"));
  // 64 KiB head, 40 x 64 KiB and 7 bytes; kept are the head and the last 192 KiB.
  const std::size_t dropped = 40 * 64 * 1024 + 7 - OutputCapture::kTail;
  EXPECT_NE(text.find("[lapcast: " + std::to_string(dropped) + " bytes left out]"),
            std::string::npos);
  EXPECT_LT(text.size(), OutputCapture::kHead + OutputCapture::kTail + 100);
}

TEST(OutputCapture, OnePieceLargerThanTheTailIsCut) {
  OutputCapture capture;
  capture.append(std::string(4 << 20, 'x') + "end");
  EXPECT_EQ(capture.total_bytes(), (4 << 20) + 3);
  EXPECT_TRUE(capture.text().ends_with("xend"));
}

}  // namespace
}  // namespace lapcast
