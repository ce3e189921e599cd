#include "forecast/gpu_use.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forecast/lap_profile.h"
#include "forecast/lap_profiler.h"

namespace lapcast {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

/// Returns a sample of every second from 1 on, busy by so many percent.
std::vector<GpuSample> gpu_samples(std::int64_t number, const std::vector<std::int64_t>& percents) {
  std::vector<GpuSample> samples;
  for (const std::int64_t percent : percents)
    samples.push_back({.at_ns = (std::ssize(samples) + 1) * kSecond,
                       .number = number,
                       .busy_percent = percent,
                       .memory_bytes = 100 + percent,
                       .memory_total_bytes = 1000});
  return samples;
}

std::vector<GpuSample> both(std::vector<GpuSample> a, const std::vector<GpuSample>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::vector<GpuSample> steadily(std::int64_t number, std::size_t samples, std::int64_t percent) {
  return gpu_samples(number, std::vector(samples, percent));
}

std::string idle_text(const std::vector<GpuSample>& samples) {
  return describe_idle(use_of_gpus(samples, std::nullopt));
}

// Samples at 1 to 5 s tell of 0-1, 1-2 ... 4-5 s; those in 1 to 4 s are 90, 0 and 60 %.
TEST(GpuUse, IsOfTheSamplesThatLieInTheTraining) {
  const auto uses = use_of_gpus(gpu_samples(3, {0, 90, 0, 60, 100}), Span{kSecond, 4 * kSecond});
  ASSERT_EQ(uses.size(), 1u);
  EXPECT_EQ(uses[0].number, 3);
  EXPECT_EQ(uses[0].samples, 3);
  EXPECT_DOUBLE_EQ(uses[0].mean_busy, 0.5);
  EXPECT_DOUBLE_EQ(uses[0].peak_busy, 0.9);
  EXPECT_DOUBLE_EQ(uses[0].idle_share, 1.0 / 3);
  EXPECT_EQ(uses[0].peak_memory_bytes, 200);  // of the whole run
  EXPECT_EQ(uses[0].memory_bytes, 1000);
  EXPECT_THAT(uses[0].busy, ::testing::ElementsAre(0.9, 0, 0.6));
  EXPECT_EQ(use_of_gpus(gpu_samples(3, {0, 90, 0, 60, 100}), std::nullopt)[0].samples, 5);
}

// GPU 0 is busy for 80 and 100 % by turns, GPU 1 for 10 %.
TEST(BusyShare, IsThatOfTheGpusOnWhichTheProgramWasSeen) {
  std::vector<GpuSample> samples =
      both(gpu_samples(0, {80, 100, 80, 100, 80, 100}), steadily(1, 6, 10));
  EXPECT_NEAR(*busy_share(use_of_gpus(samples, std::nullopt)), 0.5, 1e-9);
  samples.front().program = 1;
  EXPECT_NEAR(*busy_share(use_of_gpus(samples, std::nullopt)), 0.9, 1e-9);
  EXPECT_FALSE(busy_share(use_of_gpus(steadily(0, 4, 90), std::nullopt)));
  EXPECT_FALSE(busy_share({}));
}

TEST(GpuUse, WithoutSamplesOrUtilisationHasNoFigures) {
  EXPECT_TRUE(use_of_gpus({}, std::nullopt).empty());
  const std::vector<GpuSample> of_memory{{.at_ns = kSecond, .memory_bytes = 7, .program = 1}};
  const auto uses = use_of_gpus(of_memory, std::nullopt);
  ASSERT_EQ(uses.size(), 1u);
  EXPECT_EQ(uses[0].samples, 0);
  EXPECT_EQ(uses[0].idle_share, 0);
  EXPECT_EQ(uses[0].peak_memory_bytes, 7);
  EXPECT_TRUE(uses[0].used_by_program);
  EXPECT_FALSE(was_idle(uses[0]));
}

TEST(BusierGpu, IsNamedWithTheFigures) {
  const auto text = [](std::int64_t zero, std::int64_t one, std::int64_t two, std::size_t samples) {
    const auto all = both(both(steadily(0, samples, zero), steadily(1, samples, one)),
                          steadily(2, samples, two));
    return describe_use(use_of_gpus(all, std::nullopt));
  };
  EXPECT_EQ(text(55, 97, 60, 10),
            "GPU 1 was busy 97 % of the training, GPUs 0 and 2 at most 60 %: where GPUs wait for "
            "each other, it is the slow one");
  EXPECT_EQ(text(55, 97, 73, 10), "");  // less than 25 % apart
  EXPECT_EQ(text(55, 97, 60, 9), "");   // too few samples
  const auto two = both(steadily(0, 10, 40), steadily(1, 10, 80));
  EXPECT_EQ(
      describe_use(use_of_gpus(two, std::nullopt)),
      "GPU 1 was busy 80 % of the training, GPU 0 40 %: where GPUs wait for each other, it is "
      "the slow one");
}

TEST(LittleUsedGpu, IsNotTheLimitOfTheProgram) {
  const auto text = [](std::vector<std::int64_t> busy) {
    return describe_use(use_of_gpus(gpu_samples(0, busy), std::nullopt));
  };
  EXPECT_EQ(text({30, 20, 40, 30, 30}),
            "GPU busy 30 % of the training: the program or its data loading is the limit, not the "
            "GPU; a cheaper GPU may be as fast; more loader workers or a larger batch may help");
  EXPECT_EQ(text({50, 50, 50, 50, 50}), "");
  EXPECT_EQ(text({30, 30, 30, 30}), "");  // too few samples
  EXPECT_EQ(text({0, 0, 0, 0, 0}), "");   // the program may be meant for CPUs
}

TEST(IdleGpu, IsNamedBesideABusyOne) {
  EXPECT_EQ(idle_text(both(steadily(0, 20, 97), steadily(1, 20, 0))),
            "GPU 1 was idle: it computed nothing in 100 % of 20 samples in the training; a machine "
            "with fewer GPUs may cost less");
  EXPECT_EQ(idle_text(both(both(steadily(0, 20, 97), steadily(1, 20, 0)),
                           both(steadily(2, 20, 0), steadily(5, 20, 0)))),
            "GPUs 1, 2 and 5 were idle: each computed nothing in 100 % of 20 samples in the "
            "training; a machine with fewer GPUs may cost less");
}

TEST(IdleGpu, WhereAllAreIdleTheProgramMayUseNone) {
  EXPECT_EQ(idle_text(both(steadily(0, 12, 0), steadily(1, 12, 0))),
            "GPUs 0 and 1 were idle: each computed nothing in 100 % of 12 samples in the training; "
            "the program may train on CPUs by mistake");
}

// 19 of 20 samples are 95 %; 18 of 20 are 90 %.
TEST(IdleGpu, MayComputeInOneOfTwentySeconds) {
  std::vector<std::int64_t> percents(20, 0);
  percents[7] = 3;
  EXPECT_THAT(idle_text(both(steadily(0, 20, 97), gpu_samples(1, percents))),
              ::testing::StartsWith("GPU 1 was idle: it computed nothing in 95 % of 20 samples"));
  percents[8] = 3;
  EXPECT_EQ(idle_text(both(steadily(0, 20, 97), gpu_samples(1, percents))), "");
}

// A probe of 1 s: the first lap takes 0.5 s, ten more take as long. Of the samples every 0.2 s
// those at 0.8 and 1 s tell of the laps after the first alone.
TEST(GpuUse, OfAProbeOfASecondIsOfItsFirstLapToo) {
  LapLog log;
  log.laps = {{.begin_ns = 0, .end_ns = kSecond / 2}};
  for (int lap = 10; lap < 20; ++lap)
    log.laps.push_back({.begin_ns = lap * kSecond / 20, .end_ns = (lap + 1) * kSecond / 20});
  for (int i = 1; i <= 5; ++i)
    log.gpus.push_back({.at_ns = i * kSecond / 5, .busy_percent = i < 3 ? 10 : 90});
  std::vector<GpuUse> uses = use_in_training(log);
  EXPECT_EQ(uses[0].samples, 5);
  EXPECT_NEAR(uses[0].mean_busy, 0.58, 1e-9);
  EXPECT_TRUE(uses[0].with_first_lap);
  for (int i = 6; i <= 8; ++i) log.gpus.push_back({.at_ns = i * kSecond / 5, .busy_percent = 90});
  log.laps.back().end_ns = 2 * kSecond;
  uses = use_in_training(log);
  EXPECT_EQ(uses[0].samples, 5);
  EXPECT_NEAR(uses[0].mean_busy, 0.9, 1e-9);
  EXPECT_FALSE(uses[0].with_first_lap);
}

TEST(IdleGpu, IsNotSaidOfAFewSecondsOrOfTheOnlyGpu) {
  EXPECT_EQ(idle_text(both(steadily(0, 9, 97), steadily(1, 9, 0))), "");
  EXPECT_EQ(idle_text(steadily(0, 100, 0)), "");
  EXPECT_EQ(idle_text({}), "");
}

TEST(IdleGpu, IsNotSaidWhereTheDriverDoesNotTell) {
  std::vector<GpuSample> samples = both(steadily(0, 20, 97), steadily(1, 20, 0));
  for (GpuSample& sample : samples)
    if (sample.number == 1) sample.busy_percent.reset();
  EXPECT_EQ(idle_text(samples), "");
}

// GPU 1 begins to compute with the second lap, which lasts from 10 to 30 s: the 10 s of the first
// one do not count.
TEST(IdleGpu, TheFirstLapDoesNotCount) {
  LapLog log;
  log.laps = {{.begin_ns = 0, .end_ns = 10 * kSecond},
              {.begin_ns = 10 * kSecond, .end_ns = 30 * kSecond, .index = 1}};
  EXPECT_EQ(training_of(log), (Span{10 * kSecond, 30 * kSecond}));
  std::vector<std::int64_t> late(30, 0);
  for (std::size_t i = 10; i < late.size(); ++i) late[i] = 80;
  const auto uses = use_of_gpus(gpu_samples(1, late), training_of(log));
  EXPECT_EQ(uses[0].samples, 20);
  EXPECT_EQ(uses[0].idle_share, 0);
  log.laps.resize(1);
  EXPECT_EQ(training_of(log), (Span{0, 10 * kSecond}));
  EXPECT_EQ(training_of(LapLog{}), std::nullopt);
}

TEST(IdleGpu, IsInTheProfileOfARun) {
  LapLog log;
  log.hello = Hello{};
  for (std::int64_t i = 0; i < 60; ++i)
    log.laps.push_back({.begin_ns = i * kSecond / 2,
                        .end_ns = (i + 1) * kSecond / 2,
                        .index = static_cast<std::int32_t>(i)});
  log.last_ns = 30 * kSecond;
  log.gpus = both(steadily(0, 30, 97), steadily(1, 30, 0));
  const auto profile = profile_of(log, RunFacts{});
  ASSERT_TRUE(profile);
  EXPECT_THAT(profile->idle_gpus, ::testing::StartsWith("GPU 1 was idle"));
  log.gpus.clear();
  EXPECT_EQ(profile_of(log, RunFacts{})->idle_gpus, "");
}

}  // namespace
}  // namespace lapcast
