#include "remote/record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "posix/folder_test.h"
#include "remote/agent_protocol.h"

namespace lapcast {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class RunRecord : public FolderTest {
 protected:
  RunRecord() {
    request_.probe.context.id = "0123456789ab";
    request_.probe.context.program = {"train"};
    EXPECT_TRUE(record_.create(request_));
  }

  lapcast::Run run() const {
    lapcast::Run run;
    run.context = request_.probe.context;
    run.outcome = outcome::Ended{};
    return run;
  }
  std::string followed(std::int64_t offset = 0) const {
    std::string text;
    follow_record(record_, offset, [&](std::string_view bytes) {
      text += bytes;
      return true;
    });
    return text;
  }
  /// What a program that was cut off left.
  void leave_laps() const {
    const auto laps = record_.root() / "lapcast-run-1-0123456789ab" / "laps";
    std::filesystem::create_directories(laps);
    std::filesystem::copy(
        std::filesystem::path(LAPCAST_SOURCE_DIR) / "tests/golden/lap-log/complete.log",
        laps / "laps.1.0.log");
  }

  RemoteRequest request_;
  RecordFolder record_{folder_ / "runs" / "0123456789ab"};
};

TEST_F(RunRecord, FoldersArePrivateAndTheRequestIsWrittenOnce) {
  struct stat info {};
  ASSERT_EQ(stat(record_.root().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  RemoteRequest other = request_;
  other.probe.context.program = {"other"};
  EXPECT_TRUE(record_.create(other));
  EXPECT_EQ(record_.request()->probe.context.program, request_.probe.context.program);
  EXPECT_EQ(record_.work_dir("w"), folder_ / "work" / "w");
}

TEST_F(RunRecord, OneWriterAtATimeAndNoneAfterTheResult) {
  {
    auto writer = RecordWriter::open(record_);
    ASSERT_TRUE(writer);
    EXPECT_TRUE(is_recorded_now(record_));
    EXPECT_FALSE(RecordWriter::open(record_));
    writer->tell("P 0.000 0 0 0 0 - starting\n");
  }
  EXPECT_FALSE(is_recorded_now(record_));
  EXPECT_FALSE(record_.is_finished());
  auto writer = RecordWriter::open(record_);
  ASSERT_TRUE(writer);
  EXPECT_TRUE(writer->finish(run()));
  EXPECT_TRUE(record_.is_finished());
  EXPECT_FALSE(RecordWriter::open(record_));
  // The sign of life says that this was all.
  EXPECT_EQ(followed(), "P 0.000 0 0 0 0 - starting\n" + result_line(run()) + "L\n");
  EXPECT_EQ(followed(27), result_line(run()) + "L\n");
}

TEST_F(RunRecord, ALineThatWasCutOffIsRemoved) {
  write_text(record_.record_file(), "P 1.000 1 1 0 0 - x\nR {\"format\":");
  auto writer = RecordWriter::open(record_);
  ASSERT_TRUE(writer);
  EXPECT_EQ(text_of(record_.record_file()), "P 1.000 1 1 0 0 - x\n");
}

TEST_F(RunRecord, OrdersAreTakenOnceInTheirOrder) {
  auto writer = RecordWriter::open(record_);
  ASSERT_TRUE(writer);
  EXPECT_TRUE(writer->take_orders().empty());
  EXPECT_TRUE(record_.give_order("stop"));
  EXPECT_TRUE(record_.give_order("round 2"));
  EXPECT_THAT(writer->take_orders(), ElementsAre("stop", "round 2"));
  EXPECT_TRUE(writer->take_orders().empty());
  EXPECT_TRUE(record_.give_order("kill"));
  EXPECT_THAT(writer->take_orders(), ElementsAre("kill"));
}

TEST_F(RunRecord, IsFollowedWhileItGrowsAndTakesOrders) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t pid = fork();
  if (pid == 0) {
    auto writer = RecordWriter::open(record_);
    if (!writer) _exit(1);
    writer->tell("P 0.000 0 0 0 0 - starting\n");
    for (int i = 0; i < 1000 && writer->take_orders().empty(); ++i) usleep(5000);
    writer->finish(run());
    _exit(0);
  }
  while (!std::filesystem::exists(record_.record_file())) usleep(1000);
  ASSERT_EQ(write(ends[1], "stop\nremove\n", 12), 12);
  std::string text;
  follow_record(
      record_, 0,
      [&](std::string_view bytes) {
        if (bytes != "L\n") text += bytes;
        return true;
      },
      ends[0]);
  EXPECT_EQ(text, "P 0.000 0 0 0 0 - starting\n" + result_line(run()));
  EXPECT_FALSE(std::filesystem::exists(record_.root()));
  int status = 0;
  waitpid(pid, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_F(RunRecord, KeepsTheLapsOfARecorderThatDied) {
  leave_laps();
  write_text(record_.record_file(), "B 1000\nP 1.000 1 1 0 0 - x\n");
  EXPECT_THAT(followed(), HasSubstr("\nR {"));
  LineBuffer lines;
  lines.append(text_of(record_.record_file()));
  std::optional<lapcast::Run> saved;
  while (const auto line = lines.next()) {
    const AgentMessage said = parse_agent_message(*line);
    if (const auto* run = std::get_if<lapcast::Run>(&said)) saved = *run;
  }
  ASSERT_TRUE(saved);
  EXPECT_TRUE(has_laps(saved->outcome));
  EXPECT_THAT(describe(saved->outcome), HasSubstr("switched off"));
  EXPECT_EQ(saved->started_ns, 1000);
  EXPECT_FALSE(laps_of(*saved)->laps.empty());
}

TEST_F(RunRecord, HasAReasonWhenNoLapsWereLeft) {
  EXPECT_TRUE(recover_result(record_));
  EXPECT_TRUE(record_.is_finished());
  EXPECT_THAT(text_of(record_.record_file()), HasSubstr("not-started"));
}

TEST_F(RunRecord, AttemptsAreToldByTheRecordAndWhatCameAfterTheCheckpointIsLost) {
  request_.probe.resume = ResumePlan{{"--from", "{checkpoint}"}, "epoch-*"};
  const auto folder = record_.root() / "lapcast-run-1-0123456789ab";
  std::filesystem::create_directories(folder / "run");
  write_text(folder / "about", "{}");
  write_text(folder / "run" / "epoch-1", "1");
  const auto start = std::filesystem::last_write_time(folder / "about");
  std::filesystem::last_write_time(folder / "run" / "epoch-1", start + std::chrono::seconds{60});
  // The times of the last attempt count the 10 s and 5 s before it.
  write_text(record_.record_file(),
             "A 10.000 2.000 5.000 5.000\nP 15.000 0 0 0 0 - starting\nB 1000000000000\n"
             "P 115.000 9 1 0 0 - x\n");
  const LeftAttempts left = left_attempts(record_, request_.probe);
  EXPECT_EQ(left.run_dir, folder / "run");
  EXPECT_EQ(left.checkpoint, "epoch-1");
  ASSERT_EQ(left.attempts.size(), 3u);
  EXPECT_EQ(left.attempts[0], (CutOffAttempt{Seconds{10}, Seconds{2}}));
  EXPECT_EQ(left.attempts[1], (CutOffAttempt{Seconds{5}, Seconds{5}}));
  EXPECT_NEAR(left.attempts[2].time.count(), 100, 1e-6);
  EXPECT_NEAR(left.attempts[2].lost.count(), 40, 1e-6);  // 100 - 60
}

TEST_F(RunRecord, AttemptsOfAnOlderLapcastBeginWhereTheTimeBeginsAnew) {
  write_text(record_.record_file(),
             "P 0.000 0 0 0 0 - starting\nB 1000000000\nP 7.000 3 1 0 0 - x\n"
             "P 0.000 0 0 0 0 - starting\nB 20000000000\nP 4.000 2 1 0 0 - x\n");
  const LeftAttempts left = left_attempts(record_, request_.probe);
  ASSERT_EQ(left.attempts.size(), 2u);
  EXPECT_EQ(left.attempts[0].time, Seconds{7});
  EXPECT_NEAR(left.attempts[1].time.count(), 4, 1e-6);
  EXPECT_EQ(left.attempts[1].lost, left.attempts[1].time);  // it has no checkpoint
}

TEST_F(RunRecord, NoAttemptIsLeftBeforeTheFirst) {
  const LeftAttempts left = left_attempts(record_, request_.probe);
  EXPECT_TRUE(left.attempts.empty());
  EXPECT_TRUE(left.run_dir.empty());
}

TEST_F(RunRecord, ARecoveredResultHasTheAttemptsBeforeIt) {
  write_text(record_.record_file(),
             "A 10.000 2.000\nP 10.000 0 0 0 0 - starting\n"
             "B 1000000000\nP 13.000 0 0 0 0 - x\n");
  EXPECT_TRUE(recover_result(record_));
  LineBuffer lines;
  lines.append(text_of(record_.record_file()));
  std::optional<lapcast::Run> saved;
  while (const auto line = lines.next())
    if (auto said = parse_agent_message(*line); std::holds_alternative<lapcast::Run>(said))
      saved = std::get<lapcast::Run>(std::move(said));
  ASSERT_TRUE(saved);
  EXPECT_NEAR(time_of_attempts(*saved).count(), 13, 1e-6);  // 10 and 3
  EXPECT_EQ(lost_work(*saved), Seconds{2});
  EXPECT_THAT(describe(saved->outcome), HasSubstr("not ended"));
}

TEST_F(RunRecord, IsFollowedFurtherWhenTheRunGoesOn) {
  write_text(record_.record_file(), "P 1.000 1 1 0 0 - x\n");
  std::string text;
  int asked = 0;
  const auto record_again = [&] {
    ++asked;
    return RecordWriter::open(record_)->finish(run());
  };
  follow_record(
      record_, 0,
      [&](std::string_view bytes) {
        text += bytes;
        return true;
      },
      -1, record_again);
  EXPECT_EQ(asked, 1);
  EXPECT_THAT(text, HasSubstr(result_line(run())));
}

}  // namespace
}  // namespace lapcast
