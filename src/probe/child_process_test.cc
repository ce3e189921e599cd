#include "probe/child_process.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

namespace lapcast {
namespace {

TEST(OutputCapture, KeepsShortOutputWhole) {
  OutputCapture capture;
  EXPECT_EQ(capture.text(), "");
  capture.append("a\n");
  capture.append("b");
  EXPECT_EQ(capture.text(), "a\nb");
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
  EXPECT_TRUE(capture.text().ends_with("xend"));
}

/// Takes a limited number of bytes at a time, and sometimes none.
class SlowView : public ProgramView {
 public:
  explicit SlowView(std::size_t at_once) : at_once_(at_once) {
    if (pipe(ends_) != 0) throw std::runtime_error("no pipe");
  }
  ~SlowView() override {
    for (const int end : ends_) close(end);
  }
  std::size_t write(Stream stream, std::string_view bytes) override {
    if (++calls_ % 3 == 0) return 0;
    const std::string_view taken = bytes.substr(0, at_once_);
    (stream == Stream::output ? output : error) += taken;
    return taken.size();
  }
  int fd(Stream) const override { return ends_[1]; }  // can always be written
  void show(const ProbeProgress&) override {}
  void warn(const std::string&) override {}
  void end() override {}

  std::string output, error;

 private:
  std::size_t at_once_;
  int calls_ = 0;
  int ends_[2];
};

/// Returns all that a shell command prints, passed on by a view.
std::pair<std::string, std::string> passed_on(ProgramView& view, const char* command,
                                              Interrupt& interrupt) {
  const auto child = ChildProcess::start({.arguments = {"/bin/sh", "-c", command}}).value();
  ProgramOutput output(&view);
  output.open(*child);
  while (!child->status()) {
    std::vector<pollfd> fds{{child->exit_fd(), POLLIN, 0}};
    output.add_to(fds);
    poll(fds.data(), fds.size(), 50);
    output.pump();
  }
  output.finish(interrupt);
  return {output.text(Stream::output), output.text(Stream::error)};
}

TEST(ProgramOutput, NothingIsLostOnTheWayToASlowReader) {
  Interrupt interrupt;
  SlowView view(1000);
  const auto [output, error] =
      passed_on(view, "seq 1 20000; echo first >&2; echo second >&2", interrupt);
  std::string expected;
  for (int i = 1; i <= 20000; ++i) expected += std::to_string(i) + "\n";
  EXPECT_EQ(view.output, expected);
  EXPECT_EQ(output, expected);
  EXPECT_EQ(view.error, "first\nsecond\n");
  EXPECT_EQ(error, "first\nsecond\n");
}

TEST(ProgramOutput, WithoutAViewItIsOnlyKept) {
  const auto child =
      ChildProcess::start({.arguments = {"/bin/sh", "-c", "echo out; echo err >&2"}}).value();
  ProgramOutput output(nullptr);
  output.open(*child);
  Interrupt interrupt;
  while (!child->status()) poll(nullptr, 0, 5);
  output.finish(interrupt);
  EXPECT_EQ(output.text(Stream::output), "out\n");
  EXPECT_EQ(output.text(Stream::error), "err\n");
}

}  // namespace
}  // namespace lapcast
