// Runs the program ic-dr as a user does.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "common/program_test.h"
#include "data/image_example.h"
#include "data/jpeg.h"
#include "data/tfrecord.h"

namespace {

namespace fs = std::filesystem;
using namespace lapcast::workloads;

/// Returns a picture whose brightness tells its grade.
Picture picture(int64_t side, int64_t grade) {
  Picture photo;
  photo.resize(side, side);
  for (size_t i = 0; i < photo.pixels.size(); ++i) {
    photo.pixels[i] = static_cast<uint8_t>(20 + 45 * grade + static_cast<int64_t>(i) % 7);
  }
  return photo;
}

void write_shard(const fs::path& file, int64_t count, int64_t side = 75, int64_t grades = 5) {
  std::vector<uint8_t> records;
  JpegWriter writer(90);
  for (int64_t i = 0; i < count; ++i) {
    ImageExample example;
    const auto bytes = writer.write(picture(side, i % 5));
    example.encoded.assign(bytes.begin(), bytes.end());
    example.label = i % grades;
    append_tfrecord(records, example_bytes(example));
  }
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(records.data()),
             static_cast<std::streamsize>(records.size()));
}

class IcDrProgram : public ProgramTest {
 public:
  static void SetUpTestSuite() {
    fs::create_directories(data());
    write_shard(fs::path(data()) / "retina-00000-of-00002.tfrecord", 4);
    write_shard(fs::path(data()) / "retina-00001-of-00002.tfrecord", 2);
  }

 protected:
  static Outcome train(const std::string& arguments) {
    return train_with(IC_DR, "--size 75 --batch 2 " + arguments);
  }
};

TEST_F(IcDrProgram, ARestartedRunEqualsAnUninterruptedOne) {
  const std::string run_dir = (folder() / "run").string();
  const std::string settings =
      "--epochs 2 --optimizer-state --checkpoint-every 1 --restart --run-dir " + run_dir;
  const Outcome whole = train(settings);
  EXPECT_EQ(whole.status, 0) << whole.text;
  EXPECT_TRUE(whole.text.starts_with("ic-dr: 4 + 2 samples, batch 2, 2 epochs")) << whole.text;
  EXPECT_TRUE(fs::exists(fs::path(run_dir) / "best.pt"));
  // A kill in the middle of a save leaves a part; a damaged file costs one interval, too.
  std::ofstream(fs::path(run_dir) / "checkpoint-3.pt.part") << "half";
  fs::resize_file(fs::path(run_dir) / "checkpoint-2.pt", 1000);
  const Outcome rest = train(settings);
  EXPECT_EQ(rest.status, 0) << rest.text;
  EXPECT_NE(rest.text.find("checkpoint-2.pt: damaged"), std::string::npos) << rest.text;
  const std::string lines = epochs_of(whole.text);
  EXPECT_EQ(epochs_of(rest.text), lines.substr(lines.find("epoch 2"))) << whole.text;
}

/// Kills the program while it saves, which its unfinished file shows.
TEST_F(IcDrProgram, AKillInASaveLosesAtMostOneInterval) {
  const fs::path run_dir = folder() / "killed";
  const std::string command = std::string(IC_DR) + " --threads 1 --size 75 --batch 2 --data " +
                              data() + " --epochs 500 --samples 2 --val-samples 2 " +
                              "--checkpoint-every 1 --restart --run-dir " + run_dir.string();
  const pid_t program = fork();
  if (program == 0) {
    execl("/bin/sh", "sh", "-c", ("exec " + command + " >/dev/null").c_str(), nullptr);
    _exit(127);
  }
  const auto part = [&](int epoch) {
    return run_dir / ("checkpoint-" + std::to_string(epoch) + ".pt.part");
  };
  const auto saved = [&](int epoch) {
    return fs::exists(run_dir / ("checkpoint-" + std::to_string(epoch) + ".pt"));
  };
  int status = 0;
  while (!saved(1) || !(fs::exists(part(2)) || saved(2))) {
    ASSERT_EQ(waitpid(program, &status, WNOHANG), 0) << "the program ended by itself";
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  kill(program, SIGKILL);
  waitpid(program, &status, 0);
  const int done = saved(2) ? 2 : 1;
  const Outcome rest =
      train("--epochs 3 --samples 2 --val-samples 2 --restart --run-dir " + run_dir.string());
  EXPECT_EQ(rest.status, 0) << rest.text;
  EXPECT_NE(rest.text.find("\nepoch " + std::to_string(done + 1) + " "), std::string::npos)
      << rest.text;
}

TEST_F(IcDrProgram, ReportsItsStall) {
  const fs::path logs = folder() / "logs";
  fs::create_directories(logs);
  const Outcome outcome = run("LAPCAST_LOG_DIR=" + logs.string() + " " + IC_DR +
                              " --threads 1 --size 75 --batch 2 --steps 1 --data " + data());
  EXPECT_EQ(outcome.status, 0) << outcome.text;
  const std::string log = lap_log_in(logs);
  EXPECT_NE(log.find("stage-begin input-stall"), std::string::npos) << log;
}

TEST_F(IcDrProgram, RefusesInOneLine) {
  const fs::path bad = folder() / "bad";
  fs::create_directories(bad);
  write_shard(bad / "a.tfrecord", 1, 80);
  const std::string program = std::string(IC_DR) + " --size 75 --data " + bad.string();
  expect_refusal(run(program), 1, "training and validation need two");
  write_shard(bad / "b.tfrecord", 6, 75, 6);
  expect_refusal(run(program), 1, "b.tfrecord: record 6 has no label from 0 to 4");
  write_shard(bad / "b.tfrecord", 1);
  const Outcome other = run(program);
  EXPECT_EQ(other.status, 1);
  EXPECT_NE(other.text.find("a.tfrecord: record 1: has 80x80 pixels instead of 75x75"),
            std::string::npos)
      << other.text;
  std::ofstream(bad / "w.pt") << "no weights";
  expect_refusal(run(std::string(IC_DR) + " --size 75 --data " + data() + " --weights " +
                     (bad / "w.pt").string()),
                 1, "w.pt: is not a file of torch.save()");
}

}  // namespace
