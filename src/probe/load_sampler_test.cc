#include "probe/load_sampler.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lap/lap_log_reader.h"
#include "posix/folder_test.h"

namespace lapcast {
namespace {

constexpr MonotonicNs kStart = 1'000'000'000'000;
constexpr MonotonicNs kSecond = 1'000'000'000;

/// Samples a process 7 with one thread on a machine whose files are in a folder.
class LoadSamplerTest : public FolderTest {
 protected:
  void set(const std::string& file, const std::string& text) {
    std::filesystem::create_directories((folder_ / file).parent_path());
    write_text(folder_ / file, text);
  }
  void set_times(int busy_ticks, std::int64_t run_ns, std::int64_t delay_ns) {
    set("proc/stat", "cpu0 " + std::to_string(busy_ticks) + " 0 0 100 0 0 0 3\n");
    set("proc/7/task/7/schedstat",
        std::to_string(run_ns) + " " + std::to_string(delay_ns) + " 1\n");
  }
  LoadSampler sampler(std::optional<std::string> gpus = {}) {
    SampledProgram program{.cpus = {0}, .cgroups = {(folder_ / "group").string()}};
    program.gpus = std::move(gpus);
    program.processes = [] { return std::vector<pid_t>{7}; };
    return LoadSampler(program, {.clock_ns = kStart, .wall_seconds = 1, .pid = 3, .host = "a"},
                       folder_ / "laps.3.log", folder_.string());
  }
};

TEST_F(LoadSamplerTest, SaysWhatOthersRanAndHowLongTheProgramWaited) {
  set_times(0, 0, 0);
  LoadSampler sampler = this->sampler();
  set_times(60, 400'000'000, 100'000'000);  // 600 ms busy, 400 of them the program's
  sampler.look(kStart + kSecond);
  ASSERT_EQ(sampler.samples().size(), 1u);
  const LoadSample& sample = sampler.samples()[0];
  EXPECT_EQ(sample.at_ns, kSecond);
  EXPECT_EQ(sample.span_ns, kSecond);
  EXPECT_EQ(sample.cpus, 1);
  EXPECT_EQ(sample.run_ns, 400'000'000);
  EXPECT_EQ(sample.delay_ns, 100'000'000);
  EXPECT_EQ(sample.others_ns, 200'000'000);
  EXPECT_EQ(sample.steal_ns, 0);
  EXPECT_FALSE(sample.cpu_stall_ns);  // a kernel without pressure stall information
  EXPECT_FALSE(sample.throttled_ns);
}

TEST_F(LoadSamplerTest, WritesALapLogThatReadsBack) {
  set_times(0, 0, 0);
  LoadSampler sampler = this->sampler();
  set_times(60, 400'000'000, 100'000'000);
  sampler.look(kStart + kSecond);
  sampler.sample(kStart + 2 * kSecond);
  const LapLog log = parse_lap_log(text_of_file(folder_ / "laps.3.log"));
  EXPECT_FALSE(log.damage);
  EXPECT_EQ(log.loads, sampler.samples());
  EXPECT_EQ(log.hello->emitter, "lapcast-load/1");
}

TEST_F(LoadSamplerTest, NothingOfAPauseCounts) {
  set_times(0, 0, 0);
  set("group/cpu.stat", "throttled_usec 10\n");
  LoadSampler sampler = this->sampler();
  set_times(500, 1'000'000'000, 70'000'000);
  set("group/cpu.stat", "throttled_usec 1010\n");
  sampler.restart(kStart + 5 * kSecond);
  sampler.look(kStart + 6 * kSecond);
  ASSERT_EQ(sampler.samples().size(), 1u);
  EXPECT_EQ(sampler.samples()[0].span_ns, kSecond);
  EXPECT_EQ(sampler.samples()[0].others_ns.value_or(0), 0);
  EXPECT_EQ(sampler.samples()[0].throttled_ns, 0);
}

/// Takes samples half a second apart until the sampler has so many of its two GPUs.
void sample_gpus(LoadSampler& sampler, MonotonicNs& now, std::size_t samples) {
  for (int i = 0; i < 1000 && sampler.gpus().size() < samples; ++i) {
    ::usleep(10'000);
    sampler.sample(now += kSecond / 2);
  }
}

// The clock runs here 50 times as fast as the helper's.
TEST_F(LoadSamplerTest, WritesWhatEachGpuDoes) {
  ::setenv("LD_LIBRARY_PATH", LAPCAST_FAKE_NVML, 1);
  LoadSampler sampler = this->sampler("");
  ::unsetenv("LD_LIBRARY_PATH");
  MonotonicNs now = kStart;
  sample_gpus(sampler, now, 4);
  ASSERT_EQ(sampler.gpus().size(), 4u);
  EXPECT_EQ(sampler.gpus()[0].busy_percent, 90);
  EXPECT_EQ(sampler.gpus()[1].memory_bytes, 512LL << 20);
  EXPECT_EQ(sampler.gpus()[3].at_ns, now - kStart);
  EXPECT_EQ(sampler.newest_gpus(), (std::vector<GpuSample>{sampler.gpus()[2], sampler.gpus()[3]}));
  const LapLog log = parse_lap_log(text_of_file(folder_ / "laps.3.log"));
  EXPECT_FALSE(log.damage);
  EXPECT_EQ(log.gpus, sampler.gpus());
}

TEST_F(LoadSamplerTest, GpusAreSampledBetweenSamplesOfTheMachine) {
  ::setenv("LD_LIBRARY_PATH", LAPCAST_FAKE_NVML, 1);
  LoadSampler sampler = this->sampler("");
  ::unsetenv("LD_LIBRARY_PATH");
  MonotonicNs now = kStart + 100'000 * kSecond;  // the next sample is due in 50 s
  sampler.sample(now);
  for (int i = 0; i < 1000 && sampler.gpus().empty(); ++i) {
    ::usleep(10'000);
    sampler.look(now += kSecond / 100);
  }
  EXPECT_EQ(sampler.samples().size(), 1u);
  EXPECT_EQ(sampler.gpus().size(), 2u);
  EXPECT_EQ(parse_lap_log(text_of_file(folder_ / "laps.3.log")).gpus, sampler.gpus());
}

// The child is a copy of this process, as a loader's worker is; one that reports laps is a rank.
TEST_F(LoadSamplerTest, CountsTheWorkersOfTheProgram) {
  const pid_t child = ::fork();
  if (child == 0)
    while (true) ::pause();
  set_times(0, 0, 0);
  SampledProgram program{.cpus = {0}, .cgroups = {}};
  program.processes = [&] { return std::vector<pid_t>{::getpid(), child}; };
  const auto workers = [&] {
    LoadSampler sampler(program, {.clock_ns = kStart, .pid = 3, .host = "a"},
                        folder_ / "laps.3.log", folder_.string());
    sampler.sample(kStart + kSecond);
    std::filesystem::remove(folder_ / "laps.3.log");
    return sampler.samples().back().workers;
  };
  EXPECT_EQ(workers(), 1);
  write_text(folder_ / ("laps." + std::to_string(child) + ".log"), "");
  EXPECT_FALSE(workers());
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

/// Returns how many processes of others a new sampler sees on the first GPU, which this one uses.
LoadSample::Field others_beside(LoadSampler sampler) {
  MonotonicNs now = kStart;
  for (int i = 0; i < 1000 && sampler.newest_gpus().empty(); ++i) {
    ::usleep(10'000);
    sampler.sample(now += kSecond / 2);
  }
  return sampler.samples().back().gpu_others;
}

TEST_F(LoadSamplerTest, AStoppedProcessIsNoneOfOthersThatUseTheGpu) {
  const std::string list = (folder_ / "pids").string();
  ::setenv("LD_LIBRARY_PATH", LAPCAST_FAKE_NVML, 1);
  ::setenv("FAKE_NVML_PIDS", list.c_str(), 1);
  const pid_t child = ::fork();
  if (child == 0)
    while (true) ::pause();
  write_text(list, std::to_string(child) + "\n");
  EXPECT_EQ(others_beside(this->sampler("0")), 1);
  ::kill(child, SIGSTOP);
  ::waitpid(child, nullptr, WUNTRACED);
  EXPECT_EQ(others_beside(this->sampler("0")), 0);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(others_beside(this->sampler("0")), 0);  // it is gone
  ::unsetenv("FAKE_NVML_PIDS");
  ::unsetenv("LD_LIBRARY_PATH");
}

// After 4,000 s two GPUs are written every 4 s at most; what is between is not lost to the user.
TEST_F(LoadSamplerTest, GpusAreWrittenLessOftenInALongRun) {
  ::setenv("LD_LIBRARY_PATH", LAPCAST_FAKE_NVML, 1);
  LoadSampler sampler = this->sampler("");
  ::unsetenv("LD_LIBRARY_PATH");
  MonotonicNs now = kStart + 4000 * kSecond;
  sample_gpus(sampler, now, 2);
  const auto written = [&] {
    return parse_lap_log(text_of_file(folder_ / "laps.3.log")).gpus.size();
  };
  EXPECT_EQ(written(), 2u);
  const MonotonicNs first = now;
  while (sampler.gpus().size() < 4) {
    ::usleep(10'000);
    sampler.sample(now += kSecond / 1000);
  }
  EXPECT_EQ(written(), 2u);
  sampler.sample(first + 3 * kSecond);
  EXPECT_EQ(written(), 2u);
  sampler.sample(first + 5 * kSecond);
  EXPECT_EQ(written(), 4u);
}

TEST_F(LoadSamplerTest, AMachineThatTellsNothingGivesEmptySamples) {
  LoadSampler sampler = this->sampler();
  sampler.look(kStart + kSecond);
  ASSERT_EQ(sampler.samples().size(), 1u);
  EXPECT_FALSE(sampler.samples()[0].run_ns);
  EXPECT_FALSE(sampler.samples()[0].others_ns);
}

TEST_F(LoadSamplerTest, ThreadsThatAreTooManyAreCounted) {
  set_times(0, 0, 0);
  for (int thread = 8; thread < 300; ++thread)
    set("proc/7/task/" + std::to_string(thread) + "/schedstat", "1 1 1\n");
  LoadSampler sampler = this->sampler();
  sampler.look(kStart + kSecond);
  EXPECT_EQ(sampler.samples()[0].threads_left_out, 293 - 256);
}

TEST_F(LoadSamplerTest, SamplesComeLessOftenInALongRun) {
  set_times(0, 0, 0);
  LoadSampler sampler = this->sampler();
  const MonotonicNs later = kStart + 10'000 * kSecond;
  sampler.look(later);
  sampler.look(later + 4 * kSecond);
  EXPECT_EQ(sampler.samples().size(), 1u);
  sampler.look(later + 6 * kSecond);
  EXPECT_EQ(sampler.samples().size(), 2u);
}

}  // namespace
}  // namespace lapcast
