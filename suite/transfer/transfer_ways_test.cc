#include "suite/transfer/transfer_ways.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace lapcast {
namespace {

RatioEstimate exactly(double ratio) {
  return {ratio, 0, 9};
}

Offer at_price(const char* per_hour) {
  Offer offer;
  offer.price = {Money::parse(per_hour)};
  offer.billing.step_ns = 0;
  return offer;
}

/// Returns a sample without any error: 1000 files of 1 MB in pieces of 100, by one worker on each
/// machine. Preparing a file takes 1 s here and 2 s there, and makes 0.1 MB of it; the link carries
/// 1 MB/s; a call takes 2 s.
TransferSample plain_sample() {
  TransferSample sample;
  sample.prepare_here = {exactly(1), false, 1};
  sample.prepare_there = {exactly(2), false, 1};
  sample.prepared_bytes = exactly(0.1);
  sample.send_byte_s = exactly(1e-6);
  sample.send_call_s = 2;
  sample.machine_spread = sample.link_spread = 0;
  return sample;
}
constexpr TransferSize kSize{1000, 1'000'000'000, 100};

const WayForecast& of(std::vector<WayForecast>&&, TransferWay) = delete;
const WayForecast& of(const std::vector<WayForecast>& ways, TransferWay way) {
  return ways[static_cast<std::size_t>(way)];
}

// By hand. Here: 1000 s, then 2 + 1000 * 0.1 = 102 s. Overlapped: a piece of 100 s is sent in
// 2 + 10 s while the next one is prepared, so the last one ends at 1000 + 12 s. There: 2 + 1000 s,
// then 2000 s. Overlapped there: the first piece is there after 2 + 100 s, and preparing lasts
// 2000 s; sending ends earlier, at 10 * 102 s.
TEST(TransferWays, AddStagesUpOrOverlapThem) {
  const auto ways = forecast_ways(plain_sample(), kSize, {});
  const auto seconds = [&](TransferWay way) { return of(ways, way).time.mid.count(); };
  EXPECT_NEAR(seconds(TransferWay::here), 1102, 1e-6);
  EXPECT_NEAR(seconds(TransferWay::here_overlapped), 1012, 1e-6);
  EXPECT_NEAR(seconds(TransferWay::there), 3002, 1e-6);
  EXPECT_NEAR(seconds(TransferWay::there_overlapped), 2102, 1e-6);
  EXPECT_EQ(of(ways, TransferWay::here_overlapped).fastest, 1);
  EXPECT_FALSE(ways[0].cost);
  for (const WayForecast& way : ways) EXPECT_NEAR(way.time.low.count(), way.time.mid.count(), 1e-6);
}

// The link carries 0.05 MB/s: a prepared piece takes 200 s, which is longer than preparing one.
// The first piece is ready after 100 s and sent at 302 s, when two more are ready: 302 + 2 + 400 =
// 704 s, when the pieces up to the seventh are ready: 704 + 2 + 800 = 1506 s, when all are:
// 1506 + 2 + 600 = 2108 s.
TEST(TransferWays, ASlowLinkTakesAllThatIsReady) {
  TransferSample sample = plain_sample();
  sample.send_byte_s = exactly(20e-6);
  const auto ways = forecast_ways(sample, kSize, {});
  const WayForecast& overlapped = of(ways, TransferWay::here_overlapped);
  EXPECT_NEAR(overlapped.time.mid.count(), 2108, 1e-6);
  EXPECT_NEAR(overlapped.send.mid.count(), 4 * 2 + 2000, 1e-6);
}

// This machine costs $3.6/h, which is $0.001 per second, the other one $36/h. Here: $1.102 for 1102
// s, and $0.01 * (102 + 500 s of training) = $6.02. Overlapped: $1.012 and $0.01 * (912 + 500).
TEST(TransferWays, CountBothMachinesAndTheTraining) {
  TransferPrices prices{at_price("3.6"), at_price("36"), Interval<Seconds>::exactly(Seconds{500})};
  const auto ways = forecast_ways(plain_sample(), kSize, prices);
  EXPECT_EQ(dollar_text(of(ways, TransferWay::here).cost->mid), "$7.12");
  EXPECT_EQ(dollar_text(of(ways, TransferWay::here_overlapped).cost->mid), "$15.13");
  EXPECT_EQ(of(ways, TransferWay::here).cheapest, 1);
  EXPECT_NEAR(of(ways, TransferWay::here).time_with_training.mid.count(), 1602, 1e-6);
}

// Of a normal variable with standard deviation 0.05 and df = infinity 95 % lie within 1.96 * 0.05
// of the mean: 1000 s * 0.098.
TEST(TransferWays, IntervalsComeFromTheErrorsOfTheSample) {
  TransferSample sample = plain_sample();
  sample.prepare_here.seconds = {1, 0.05, 1e6};
  const auto ways = forecast_ways(sample, kSize, {});
  const auto& time = of(ways, TransferWay::here).time;
  EXPECT_NEAR(time.high.count() - time.mid.count(), 98, 10);
  EXPECT_NEAR(time.mid.count() - time.low.count(), 98, 10);
}

// Preparing varies by exp(0.1 z), and of a normal z 95 % lie within 1.96: 1000 s * exp(0.196) =
// 1216.5 s, and 102 s for sending. Both ways that prepare here see the same machine.
TEST(TransferWays, TheMachineMayBeFasterOrSlowerThanInTheSample) {
  TransferSample sample = plain_sample();
  sample.machine_spread = 0.1;
  const auto ways = forecast_ways(sample, kSize, {});
  const auto& time = of(ways, TransferWay::here).time;
  EXPECT_NEAR(time.mid.count(), 1102, 1e-6);
  EXPECT_NEAR(time.high.count(), 1318.5, 20);
  EXPECT_NEAR(time.low.count(), 102 + 1000 * std::exp(-0.196), 20);
  EXPECT_EQ(of(ways, TransferWay::here).fastest, 0);
  EXPECT_GT(of(ways, TransferWay::here_overlapped).fastest, 0.99);
}

// Overlapped, the way here ends at 12 + 1000 exp(0.5 x) s, and the one there at 102 + 990 exp(0.5
// y) s, or later. On two machines x - y has the variance 2, on one machine 1: so y, which has to be
// smaller by about 0.2 at a speed of 1, is so less often.
TEST(TransferWays, OnOneMachineShareHalfOfItsChange) {
  TransferSample sample = plain_sample();
  sample.machine_spread = 0.5;
  sample.prepare_there.seconds = exactly(0.99);
  const auto there = [&] {
    const auto ways = forecast_ways(sample, kSize, {});
    return of(ways, TransferWay::there).fastest + of(ways, TransferWay::there_overlapped).fastest;
  };
  const double two_machines = there();
  sample.same_machine = true;
  EXPECT_LT(there(), two_machines - 0.02);
  EXPECT_GT(there(), 0.1);
}

// The link varies by exp(0.1 z): 1000 s * exp(0.196) for the files as they are.
TEST(TransferWays, TheLinkMayBeFasterOrSlowerThanInTheSample) {
  TransferSample sample = plain_sample();
  sample.link_spread = 0.1;
  const auto ways = forecast_ways(sample, kSize, {});
  const auto& send = of(ways, TransferWay::there).send;
  EXPECT_NEAR(send.mid.count(), 1002, 1e-6);
  EXPECT_NEAR(send.high.count(), 1218.5, 20);
}

// Both ways are equally long in the estimates, so each is the faster one in about half of the
// draws.
TEST(TransferWays, AreAsSureAsTheSampleIs) {
  TransferSample sample = plain_sample();
  sample.prepare_here.seconds = {1, 0.2, 9};
  sample.prepare_there.seconds =
      exactly(0.912);  // 102 + 912 s, and 1020 + 91.2 s for the last piece
  const auto ways = forecast_ways(sample, {1000, 1'000'000'000, 100}, {});
  const double fastest = of(ways, TransferWay::here_overlapped).fastest;
  EXPECT_GT(fastest, 0.5);
  EXPECT_LT(fastest, 0.9);
  double sum = 0;
  for (const WayForecast& way : ways) sum += way.fastest;
  EXPECT_NEAR(sum, 1, 1e-9);
}

TEST(TransferWays, PreparingIsCountedByWhatExplainsItBetter) {
  const std::vector<double> files{10, 10, 10};
  const std::vector<double> bytes{100, 200, 300};
  const std::vector<double> by_bytes{1.1, 2, 2.9};
  const std::vector<double> by_files{2, 2.1, 1.9};
  EXPECT_TRUE(preparing_cost(by_bytes, files, bytes, 2).per_byte);
  EXPECT_FALSE(preparing_cost(by_files, files, bytes, 2).per_byte);
  EXPECT_NEAR(preparing_cost(by_files, files, bytes, 2).worker_seconds({100, 0, 1}).mid, 20, 1e-9);
}

TEST(TransferWays, AreFoundByName) {
  for (const TransferWay way : kTransferWays) EXPECT_EQ(transfer_way_named(to_string(way)), way);
  EXPECT_FALSE(transfer_way_named("nowhere"));
}

// Kunas 2023, chapter 5: 3662 images of 8204.5 MB, five processes. They take 669.52 s on the local
// machine and 669.52 / (1 - 0.6107) s with the cloud's; prepared they are 185.7 MB. Sending them
// raw used 66 Mbit/s. So one process takes 5 * 669.52 / 3662 s for an image here. Since the images
// are sent at the same time, the forecast is 669.52 s and the last piece: 5.47 images/s.
TEST(TransferWays, HaveTheRatesOfKunas) {
  TransferSample sample;
  sample.prepare_here = {exactly(5 * 669.52 / 3662), false, 5};
  sample.prepare_there = {exactly(5 * 669.52 / (1 - 0.6107) / 3662), false, 5};
  sample.prepared_bytes = exactly(185.7 / 8204.5);
  sample.send_byte_s = exactly(8 / 66e6);
  const TransferSize size{3662, 8'204'500'000, 1};
  const auto ways = forecast_ways(sample, size, {});
  const WayForecast& here = of(ways, TransferWay::here_overlapped);
  EXPECT_NEAR(3662 / here.time.mid.count(), 5.47, 0.01);
  EXPECT_NEAR(3662 / of(ways, TransferWay::there_overlapped).time.mid.count(), 2.13, 0.01);
  EXPECT_EQ(here.fastest, 1);
  EXPECT_NEAR(8204.5 / 185.7, 44.2, 0.05);  // "about 44x" less data
  EXPECT_NEAR(66 / 5.7, 11.6, 0.05);        // "about 11.5x" less bandwidth
  // Sending what was prepared takes 185.7 MB at 66 Mbit/s = 22.5 s, sending all 994.5 s.
  EXPECT_NEAR(here.send.mid.count(), 22.5, 0.05);
  EXPECT_NEAR(of(ways, TransferWay::there).send.mid.count(), 994.5, 0.05);
}

// Kunas 2023, table 6.1: 932.2 MB in 106.51 s are 8.75 MB/s (it prints 12.2, which is a slip). A
// tenth of it in ten pieces at that rate forecasts the whole.
TEST(TransferWays, ForecastTheTransferOfKunas) {
  const std::vector<double> bytes(10, 9.322e6);
  const std::vector<double> seconds(10, 1.0651);
  TransferSample sample = plain_sample();
  sample.send_byte_s = ratio_estimate(seconds, bytes);
  sample.send_call_s = 0;
  EXPECT_NEAR(1e-6 / sample.send_byte_s.ratio, 8.75, 0.005);
  const auto ways = forecast_ways(sample, {1000, 932'200'000, 100}, {});
  EXPECT_NEAR(of(ways, TransferWay::there).send.mid.count(), 106.51, 0.01);
}

}  // namespace
}  // namespace lapcast
