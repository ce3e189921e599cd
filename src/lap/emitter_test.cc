// The emitter of lap.h, looked at through the reader. Its state is one per process and begins with
// the first event, so every test reports from a child of its own; this process never reports.
#define LAPCAST_IMPLEMENTATION
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <lapcast/lap.h>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <regex>
#include <string>
#include <thread>
#include <vector>

#include "lap/golden_test.h"
#include "lap/lap_log_reader.h"

namespace lapcast {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void write_text(const fs::path& path, const std::string& text) {
  std::ofstream(path) << text;
}

void wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
}

class LapEmitter : public ::testing::Test {
 protected:
  LapEmitter() {
    std::string name = (fs::temp_directory_path() / "lap-emitter-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~LapEmitter() override { fs::remove_all(folder_); }

  /// Returns what became of a child that reports and exits by itself with 0, or ends otherwise in
  /// `report`.
  int status_of(const std::function<void()>& report) {
    std::fflush(nullptr);  // or the child prints it again
    const pid_t child = fork();
    if (child == 0) {
      setenv("LAPCAST_LOG_DIR", folder_.c_str(), 1);
      report();
      std::exit(0);
    }
    int status = -1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    return status;
  }

  std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      if (entry.path().extension() == ".log") found.push_back(entry.path());
    }
    std::ranges::sort(found);
    return found;
  }

  /// Returns the logs, most laps first.
  std::vector<LapLog> logs() const {
    std::vector<LapLog> logs;
    for (const fs::path& file : files()) logs.push_back(parse_lap_log(text_of(file)));
    std::ranges::sort(logs, std::greater(), [](const LapLog& log) { return log.laps.size(); });
    return logs;
  }

  LapLog only_log() const {
    const std::vector<LapLog> all = logs();
    EXPECT_THAT(all, SizeIs(1));
    return all.empty() ? LapLog() : all[0];
  }

  fs::path folder_;
};

void report_every_event() {
  lapcast_plan_t plan = {};
  plan.epochs = 2;
  plan.iterations_per_epoch = 2;
  plan.batch_size = 128;
  plan.training_samples = 200;
  plan.validation_samples = 50;
  plan.answers_requests = 1;
  lapcast_plan(plan);
  lapcast_stage_begin("data-load");
  lapcast_stage_end("data-load");
  lapcast_epoch_begin(1);
  lapcast_iteration(128);
  lapcast_metric("loss", 0.25);
  lapcast_iteration_queued(72);
  lapcast_iteration_ended(2, 0);
  lapcast_epoch_end(1);
  lapcast_validation_begin();
  lapcast_validation_end(50);
  lapcast_checkpoint_begin();
  lapcast_checkpoint_end(1048576);
  lapcast_device_memory(3221225472);
  lapcast_phase("224px");
  lapcast_note("hook: 2 of 4 steps were skipped, by mixed precision");
}

/// Replaces times and what the machine says by 0, so that the rest must be the golden log.
std::string without_times(std::string text) {
  text = std::regex_replace(text, std::regex("\n[0-9]+ "), "\n0 ");
  text = std::regex_replace(text, std::regex("(\n0 ended [0-9]+) [0-9]+"), "$1 0");
  text = std::regex_replace(text, std::regex("clock=[0-9]+"), "clock=0");
  text = std::regex_replace(text, std::regex("wall=[0-9]+[.][0-9]{6} "), "wall=0.000000 ");
  text = std::regex_replace(text, std::regex("pid=[0-9]+"), "pid=0");
  return std::regex_replace(text, std::regex("host=[A-Za-z0-9._/-]+"), "host=_");
}

TEST_F(LapEmitter, WritesTheGoldenLog) {
  EXPECT_EQ(status_of(report_every_event), 0);
  ASSERT_THAT(files(), SizeIs(1));
  EXPECT_EQ(without_times(text_of(files()[0])), golden_lap_log("emitter.log"));
  EXPECT_EQ(only_log().damage, std::nullopt);
}

TEST_F(LapEmitter, TheFileIsNamedAfterTheProcessAndPrivate) {
  status_of([] { lapcast_iteration(1); });
  ASSERT_THAT(files(), SizeIs(1));
  EXPECT_EQ(files()[0].filename(), "laps." + std::to_string(only_log().hello->pid) + ".log");
  EXPECT_EQ(fs::status(files()[0]).permissions(), fs::perms(0600));
}

// As after the pid was given out twice, or when a program replaces itself by another (exec).
TEST_F(LapEmitter, NeverWritesToAFileThatWasThere) {
  status_of([&] {
    write_text(folder_ / ("laps." + std::to_string(getpid()) + ".log"), "old");
    lapcast_iteration(1);
  });
  ASSERT_THAT(files(), SizeIs(2));
  EXPECT_TRUE(files()[0].string().ends_with(".1.log"));
  EXPECT_EQ(text_of(files()[1]), "old");
}

TEST_F(LapEmitter, WithoutAFolderNothingIsReported) {
  const int status = status_of([] {
    unsetenv("LAPCAST_LOG_DIR");
    report_every_event();
    if (lapcast_detail_on) std::abort();
  });
  EXPECT_EQ(status, 0);
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(LapEmitter, AFolderThatCannotBeWrittenEndsTheReportingQuietly) {
  const int status = status_of([&] {
    setenv("LAPCAST_LOG_DIR", (folder_ / "missing").c_str(), 1);
    report_every_event();
    if (lapcast_detail_on) std::abort();
  });
  EXPECT_EQ(status, 0);
}

// A file size limit fails a write in its middle, as a full disk does.
TEST_F(LapEmitter, AFullDiskEndsTheReportingQuietly) {
  const int status = status_of([] {
    const rlimit limit = {1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    std::signal(SIGXFSZ, SIG_IGN);
    for (int i = 0; i < 20000; i++) lapcast_iteration(128);
    if (lapcast_detail_on) std::abort();
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(fs::file_size(files()[0]), 1000);
  const LapLog log = only_log();
  EXPECT_GT(log.laps.size(), 30);
  EXPECT_LE(log.damage ? log.damage->lines : 0, 1);
}

TEST_F(LapEmitter, LapsOfAllThreadsAreThere) {
  status_of([] {
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; t++) {
      threads.emplace_back([] {
        for (int i = 0; i < 5000; i++) lapcast_iteration(i);
      });
    }
    for (std::thread& thread : threads) thread.join();
  });
  const LapLog log = only_log();
  EXPECT_THAT(log.laps, SizeIs(20000));
  EXPECT_EQ(log.damage, std::nullopt);
  EXPECT_TRUE(log.said_bye);
}

TEST_F(LapEmitter, AForkedChildThatReportsHasItsOwnLog) {
  status_of([] {
    for (int i = 0; i < 3; i++) lapcast_iteration(10);
    const pid_t child = fork();
    if (child == 0) {
      lapcast_iteration(20);
      std::exit(0);
    }
    wait_for(child);
    lapcast_iteration(10);
  });
  const std::vector<LapLog> all = logs();
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_THAT(all[0].laps, SizeIs(4));
  ASSERT_THAT(all[1].laps, SizeIs(1));
  EXPECT_EQ(all[1].laps[0].samples, 20);
  EXPECT_NE(all[0].hello->pid, all[1].hello->pid);
  EXPECT_TRUE(all[0].said_bye && all[1].said_bye);
}

TEST_F(LapEmitter, AForkedChildThatDoesNotReportLeavesNothing) {
  status_of([] {
    for (int i = 0; i < 3; i++) lapcast_iteration(10);
    const pid_t child = fork();
    if (child == 0) {
      lapcast_flush();
      std::exit(0);
    }
    wait_for(child);
    lapcast_iteration(10);
  });
  const LapLog log = only_log();
  EXPECT_THAT(log.laps, SizeIs(4));
  EXPECT_EQ(log.damage, std::nullopt);
}

// The lock of a thread that reports while another forks does not hang the child.
TEST_F(LapEmitter, AForkWhileThreadsReportIsSafe) {
  const int status = status_of([] {
    std::thread reporter([] {
      for (int i = 0; i < 200000; i++) lapcast_iteration(1);
    });
    for (int i = 0; i < 20; i++) {
      const pid_t child = fork();
      if (child == 0) {
        lapcast_iteration(2);
        lapcast_flush();
        _exit(0);
      }
      wait_for(child);
    }
    reporter.join();
  });
  EXPECT_EQ(status, 0);
  const std::vector<LapLog> all = logs();
  ASSERT_THAT(all, SizeIs(21));
  EXPECT_THAT(all[0].laps, SizeIs(200000));
  for (const LapLog& log : all) EXPECT_EQ(log.damage, std::nullopt);
  EXPECT_THAT(all[20].laps, SizeIs(1));
}

TEST_F(LapEmitter, EventsAreWrittenAtOnce) {
  status_of([] {
    lapcast_iteration(8);
    lapcast_epoch_end(1);
    lapcast_iteration(8);
    raise(SIGKILL);
  });
  const LapLog log = only_log();
  EXPECT_THAT(log.laps, SizeIs(1));
  EXPECT_FALSE(log.said_bye);
}

// Whatever was not written had been reported within 100 ms before the last event.
TEST_F(LapEmitter, AKilledProgramLosesLessThan100Ms) {
  status_of([&] {
    std::int64_t before = 0;
    const std::int64_t until = lapcast_detail_now() + 250000000;
    while (before < until) {
      before = lapcast_detail_now();
      lapcast_iteration(8);
      usleep(1000);
    }
    write_text(folder_ / "last", std::to_string(before));
    raise(SIGKILL);
  });
  const LapLog log = only_log();
  ASSERT_FALSE(log.laps.empty());
  const std::int64_t written = log.hello->clock_ns + log.laps.back().end_ns;
  EXPECT_LT(std::stoll(text_of(folder_ / "last")) - written, 100000000);
  EXPECT_EQ(log.damage, std::nullopt);
}

TEST_F(LapEmitter, NeverWritesIntoAFileOfTheProgram) {
  const int status = status_of([&] {
    lapcast_iteration(1);
    for (int fd = 3; fd < 256; fd++) close(fd);
    for (int i = 0; i < 20; i++) {
      if (open((folder_ / "victim").c_str(), O_WRONLY | O_CREAT, 0600) < 0) std::abort();
    }
    for (int i = 0; i < 10; i++) lapcast_epoch_begin(i);
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(fs::file_size(folder_ / "victim"), 0);
}

TEST_F(LapEmitter, KeepsOffTheStandardStreams) {
  status_of([] {
    for (int fd = 0; fd < 3; fd++) close(fd);
    lapcast_iteration(1);
    if (write(1, "into the log", 12) >= 0) std::abort();
  });
  EXPECT_EQ(only_log().damage, std::nullopt);
}

TEST_F(LapEmitter, LeavesErrnoAlone) {
  const int status = status_of([] {
    errno = 1234;
    report_every_event();
    lapcast_flush();
    if (errno != 1234) std::abort();
  });
  EXPECT_EQ(status, 0);
}

TEST_F(LapEmitter, WritesValidNamesAndNumbers) {
  status_of([] {
    lapcast_phase("a b<c>\n");
    lapcast_phase(nullptr);
    lapcast_phase("");
    lapcast_phase(std::string(100, 'x').c_str());
    lapcast_iteration(-5);
    lapcast_iteration(INT64_MAX);
    lapcast_epoch_begin(INT64_MAX);
    lapcast_checkpoint_begin();
    lapcast_checkpoint_end(123456789012345678);
    for (double value : {0.1, 1.0 / 3, -0.0, 1e300, 5e-324, 12345678.9}) lapcast_metric("m", value);
  });
  const LapLog log = only_log();
  EXPECT_EQ(log.damage, std::nullopt);
  EXPECT_THAT(log.phases, ElementsAre("", "a_b_c__", "_", std::string(64, 'x')));
  EXPECT_EQ(log.laps[0].samples, 0);
  EXPECT_EQ(log.laps[1].samples, 2147483647);
  EXPECT_EQ(log.epochs[0].epoch, 2147483647);
  EXPECT_EQ(log.stages[0].bytes, 123456789012345678);
  std::vector<double> values;
  for (const MetricPoint& metric : log.metrics) values.push_back(metric.value);
  EXPECT_THAT(values, ElementsAre(0.1, 1.0 / 3, -0.0, 1e300, 5e-324, 12345678.9));
}

TEST_F(LapEmitter, WritesValidNotes) {
  status_of([] {
    lapcast_note("two\nlines\xff");
    lapcast_note("");
    lapcast_note(nullptr);
    lapcast_note(std::string(500, 'x').c_str());
  });
  const LapLog log = only_log();
  EXPECT_EQ(log.damage, std::nullopt);
  EXPECT_THAT(log.notes, ElementsAre("two?lines?", std::string(400, 'x')));
}

TEST_F(LapEmitter, ANumberOfAnyLengthIsWrittenInFull) {
  char text[32];
  for (std::int64_t number = 1; number < INT64_MAX / 10; number = number * 10 + 7) {
    for (const std::int64_t n : {number - 1, number, number + 1}) {
      *lapcast_detail_put_number(text, n) = '\0';
      EXPECT_EQ(text, std::to_string(n));
    }
  }
  *lapcast_detail_put_number(text, INT64_MAX) = '\0';
  EXPECT_EQ(text, std::to_string(INT64_MAX));
}

TEST_F(LapEmitter, TakesItsRankFromTheLauncher) {
  status_of([] {
    setenv("RANK", "7", 1);  // without its world: not a launcher's
    setenv("PMI_RANK", "2", 1);
    setenv("PMI_SIZE", "4", 1);
    lapcast_iteration(1);
  });
  EXPECT_EQ(only_log().hello->rank, 2);
  EXPECT_EQ(only_log().hello->world_size, 4);
}

TEST_F(LapEmitter, PassesEachRequestForAValidationOnOnce) {
  const auto ask = [&](const char* samples) {
    write_text(folder_ / "validate.new", samples);
    fs::rename(folder_ / "validate.new", folder_ / "validate");
    lapcast_flush();
  };
  const int status = status_of([&] {
    const auto expect = [](std::int64_t wanted) {
      if (lapcast_validation_wanted() != wanted) std::abort();
    };
    expect(0);
    lapcast_epoch_begin(1);
    expect(0);
    ask("64\n");
    expect(64);
    expect(0);
    lapcast_flush();
    expect(0);
    ask("garbage");
    expect(0);
    ask("64");
    const pid_t child = fork();
    if (child == 0) {
      expect(0);
      _exit(0);
    }
    wait_for(child);
    expect(64);
  });
  EXPECT_EQ(status, 0);
}

TEST_F(LapEmitter, EventsAfterTheByeAreKept) {
  status_of([] {
    std::atexit([] { lapcast_stage_end("train"); });  // runs after the handler registered later
    lapcast_stage_begin("train");
  });
  const LapLog log = only_log();
  EXPECT_TRUE(log.said_bye);
  EXPECT_THAT(log.stages, SizeIs(1));
}

}  // namespace
}  // namespace lapcast
