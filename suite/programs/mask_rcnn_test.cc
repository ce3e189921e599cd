// Runs the program mask-rcnn as a user does.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>

#include "common/program_test.h"
#include "data/files_test.h"

namespace {

namespace fs = std::filesystem;
using namespace lapcast::workloads;

Outcome mask_rcnn(const std::string& arguments) {
  return run("OMP_WAIT_POLICY=PASSIVE " + std::string(MASK_RCNN) +
             " --threads 1 --backbone resnet50 --short-side 64 --long-side 96 --proposals 20 "
             "--detections 3 --least-score 0.001 " +
             arguments);
}

class MaskRcnnProgram : public FilesTest {};

TEST_F(MaskRcnnProgram, SearchesPicturesReportsLapsAndDraws) {
  const std::string png = (folder_ / "found.png").string();
  const std::string ppm = write_text("a.ppm", "P6 6 5 255\n" + std::string(90, 'x')).string();
  const fs::path log = folder_ / "log";
  fs::create_directories(log);
  setenv("LAPCAST_LOG_DIR", log.c_str(), 1);
  const Outcome searched = mask_rcnn("--image " + ppm + " --repeats 2 --draw " + png);
  unsetenv("LAPCAST_LOG_DIR");
  EXPECT_EQ(searched.status, 0) << searched.text;
  const std::regex lines(
      "mask-rcnn: 1 pictures x 2, resnet50, random weights, 1 threads, cpu [^\n]*\n"
      "5x6: 2 times, [0-9.]+ s each \\([0-9.]+ to [0-9.]+\\), [0-3] objects\n"
      "(class [0-9]+, score [0-9.]+, box [0-9. ]+\n)*");
  EXPECT_TRUE(std::regex_match(searched.text, lines)) << searched.text;
  EXPECT_TRUE(fs::exists(png));
  const std::string text = lap_log_in(log);
  const std::regex laps(
      "stage-begin data-load\n.* stage-end data-load\n.* stage-begin compile\n"
      ".* stage-end compile\n.* plan steps=2 batch=1\n.* stage-begin evaluate\n.* i 1\n.* i 1\n"
      ".* stage-end evaluate\n.* metric seconds [0-9.e-]+\n.* metric objects [0-3]\n");
  EXPECT_TRUE(std::regex_search(text, laps)) << text;
}

TEST_F(MaskRcnnProgram, DescribesTheNetworkOfThePaper) {
  const Outcome outcome = run(std::string(MASK_RCNN) + " --describe");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_TRUE(outcome.text.starts_with(R"({"name":"mask-rcnn","parameters":63341297,"batch":1,)"))
      << outcome.text;
}

TEST_F(MaskRcnnProgram, RefusesInOneLine) {
  expect_refusal(mask_rcnn("--sizes 0x5"), 2, "--sizes 0x5");
  expect_refusal(mask_rcnn("--sizes 16384x16384"), 2, "--sizes 16384x16384");
  expect_refusal(mask_rcnn("--sizes big"), 2, "--sizes big");
  expect_refusal(mask_rcnn("--sizes 4x4,5x5 --draw x.png"), 2, "need one picture");
  expect_refusal(mask_rcnn("--backbone vgg"), 2, "--backbone vgg");
  const std::string text = write_text("text.png", "no picture").string();
  expect_refusal(mask_rcnn("--image " + text), 1, "no PNG, JPEG or PPM (P6) picture");
  expect_refusal(mask_rcnn("--image missing.png"), 1, "missing.png: no such file");
  if (!fs::exists("/dev/nvidia0")) expect_refusal(mask_rcnn("--device cuda"), 2, "--device cuda: ");
}

}  // namespace
