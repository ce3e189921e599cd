// Runs the programs make-embryos, embryo-prepare and embryo-cnn as a user does.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>

#include "common/program_test.h"

namespace {

namespace fs = std::filesystem;
using namespace lapcast::workloads;

class EmbryoPrograms : public ProgramTest {
 public:
  static void SetUpTestSuite() {
    const Outcome made =
        run(std::string(MAKE_EMBRYOS) + " --embryos 10 --frames 80 --out " + frames());
    ASSERT_EQ(made.status, 0) << made.text;
    EXPECT_EQ(made.text, "80 images of 10 embryos in " + frames() + "\n");
    const Outcome prepared =
        run(std::string(EMBRYO_PREPARE) + " --in " + frames() + " --out " + patches());
    ASSERT_EQ(prepared.status, 0) << prepared.text;
    EXPECT_TRUE(std::regex_match(
        prepared.text, std::regex("64 \\+ 16 images, 1280 \\+ 320 patches, .* images/s\n")))
        << prepared.text;
  }

 protected:
  static std::string frames() { return (folder() / "frames").string(); }
  static std::string patches() { return (folder() / "patches").string(); }

  static Outcome train(const std::string& arguments, const std::string& environment = "") {
    return run(environment + " " + EMBRYO_CNN + " --threads 1 " + arguments);
  }
};

TEST_F(EmbryoPrograms, TrainTheSameFromFramesAndFromPatches) {
  const std::string size = " --samples 32 --val-samples 16 --batch 16 --epochs 1";
  const Outcome from_frames = train("--data " + frames() + size);
  const Outcome from_patches = train("--data " + patches() + size);
  EXPECT_EQ(from_frames.status, 0) << from_frames.text;
  EXPECT_TRUE(from_frames.text.starts_with("embryo-cnn: 32 + 16 samples, batch 16, 1 epochs"))
      << from_frames.text;
  EXPECT_NE(epochs_of(from_frames.text), "") << from_frames.text;
  EXPECT_EQ(epochs_of(from_frames.text), epochs_of(from_patches.text));
}

TEST_F(EmbryoPrograms, TrainOnAsManyPatchesAsWereMade) {
  const std::string small = (folder() / "small").string();
  const Outcome made = run(std::string(MAKE_EMBRYOS) + " --train 70 --test 18 --out " + small);
  EXPECT_EQ(made.text, "images for 70 + 18 patches in " + small + "\n");
  const Outcome outcome = train("--data " + small + " --batch 16 --steps 1");
  EXPECT_TRUE(outcome.text.starts_with("embryo-cnn: 70 + 18 samples, ")) << outcome.text;
  const Outcome few = run(std::string(MAKE_EMBRYOS) + " --frames 20 --out " + small + "-frames");
  EXPECT_EQ(few.status, 0) << few.text;
  const Outcome prepared = run(std::string(EMBRYO_PREPARE) + " --in " + small + "-frames");
  EXPECT_TRUE(prepared.text.starts_with("16 + 4 images, 320 + 80 patches")) << prepared.text;
}

TEST_F(EmbryoPrograms, ReportTheirLaps) {
  const fs::path log = folder() / "log";
  fs::create_directories(log);
  const Outcome outcome = train("--data " + frames() + " --steps 2 --batch 8 --val-samples 8",
                                "LAPCAST_LOG_DIR=" + log.string());
  EXPECT_EQ(outcome.status, 0) << outcome.text;
  const std::regex laps(
      "stage-begin data-load\n.* stage-end data-load\n.* stage-begin pre-process\n.* stage-end "
      "pre-process\n.* metric memory_before_network .*\n.* stage-begin compile\n.* stage-end "
      "compile\n.* plan [^\n]*batch=8 train=1280 "
      "validation=8[^\n]*\n.* stage-begin train\n.* epoch-begin 1\n.* i 8\n.* i 8\n");
  EXPECT_TRUE(std::regex_search(lap_log_in(log), laps)) << lap_log_in(log);
}

TEST_F(EmbryoPrograms, DescribeThePapersNetwork) {
  const std::string text = run(std::string(EMBRYO_CNN) + " --describe").text;
  EXPECT_TRUE(
      text.starts_with(R"({"name":"embryo-cnn","parameters":16834432,"batch":480,"epochs":20,)"
                       R"("optimizer":"Adam",)"))
      << text;
}

/// The tutorial's dropout adds a layer without parameters, and changes what is learned.
TEST_F(EmbryoPrograms, TrainAsTheTutorialDoes) {
  const std::string text = run(std::string(EMBRYO_CNN) + " --describe --setting tutorial").text;
  EXPECT_TRUE(text.starts_with(R"({"name":"embryo-cnn","parameters":16834432,)")) << text;
  EXPECT_NE(text.find(R"({"name":"dropout","parameters":0,"outputs":1024,)"), std::string::npos)
      << text;
  const std::string options = " --batch 8 --steps 2 --threads 1 --setting ";
  const Outcome paper = train("--data " + frames() + options + "paper");
  const Outcome tutorial = train("--data " + frames() + options + "tutorial");
  EXPECT_EQ(tutorial.status, 0) << tutorial.text;
  EXPECT_NE(epochs_of(tutorial.text), epochs_of(paper.text));
  expect_refusal(train("--data x --setting google"), 2, "--setting");
}

TEST_F(EmbryoPrograms, RefuseInOneLine) {
  const std::string prepare = std::string(EMBRYO_PREPARE) + " --in ";
  expect_refusal(run(prepare + "/nonexistent"), 1,
                 "embryo-prepare: /nonexistent/labels.csv: No such file or directory");
  expect_refusal(train("--data /nonexistent"), 1, "/nonexistent/labels.csv: No such file");
  expect_refusal(run(EMBRYO_PREPARE), 2, "--in DIR is needed");
  expect_refusal(run(MAKE_EMBRYOS), 2, "--out DIR is needed");
  expect_refusal(run(std::string(MAKE_EMBRYOS) + " --out x --frames 20 --three-cell-frames 30"), 2,
                 "--three-cell-frames exceeds --frames");
  expect_refusal(run(std::string(MAKE_EMBRYOS) + " --out /proc/none"), 1, "/proc/none");
  expect_refusal(run(std::string(MAKE_EMBRYOS) + " --out x --train 64"), 2, "need each other");
  expect_refusal(run(std::string(MAKE_EMBRYOS) + " --out x --train 64 --test 16 --frames 20"), 2,
                 "replace --embryos, --frames");
  expect_refusal(run(std::string(MAKE_EMBRYOS) + " --out x --embryos 9 --frames 35"), 2,
                 "exceeds a quarter of --frames");

  const fs::path broken = folder() / "broken";
  fs::copy(frames(), broken);
  fs::resize_file(broken / "E05Frame3.png", 9999);
  expect_refusal(run(prepare + broken.string()), 1,
                 "E05Frame3.png: byte 9999: the file ends within the chunk of byte 33");
  expect_refusal(train("--data " + broken.string()), 1, "E05Frame3.png: byte 9999: ");
  std::ofstream(broken / "labels.csv", std::ios::app) << "E05Frame3,2\n";
  expect_refusal(train("--data " + broken.string()), 1, "E05Frame3 is labelled twice");
}

}  // namespace
