#include "energy/training_energy.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace lapcast {
namespace {

Interval<Seconds> exactly(double seconds) {
  return Interval<Seconds>::exactly(Seconds{seconds});
}

Offer offer_in(const std::string& provider, const std::string& region) {
  Offer offer;
  offer.provider = provider;
  offer.region = region;
  return offer;
}

/// Returns a run on a machine with one CPU socket, whose log has the fields in each of 10 seconds.
Run run_with_loads(const std::string& fields) {
  Run run;
  run.outcome = outcome::Ended{};
  run.context.started_at = "2026-11-25T12:00:00Z";
  run.context.machine.cpu_model = "AMD EPYC 7763 64-Core Processor";
  run.context.machine.sockets = 1;
  run.context.machine.threads = 128;
  run.ended_ns = 10'000'000'000;
  std::string log = "lapcast-laps 1\n0 hello clock=0 pid=1\n";
  for (int second = 1; second <= 10; ++second)
    log += fmt::format("{}000000000 load 1000000000 {}\n", second, fields);
  run.lap_logs = {log};
  return run;
}

TEST(TrainingEnergy, IsPowerTimesTimeTimesPue) {
  // 1000 W for 2 h with a PUE of 1.15 are 2.3 kWh; with 416 g per kWh, 956.8 g.
  const TrainingPower power{.watts = Interval<double>::exactly(1000)};
  EnergyEstimator estimator;
  const auto energy = estimator.energy_of(power, exactly(7200), offer_in("aws", "us-east-1"));
  ASSERT_TRUE(energy);
  EXPECT_NEAR(energy->kwh.mid, 2.3, 1e-12);
  EXPECT_NEAR(energy->kwh.high, 2.3 * 1.05, 1e-9);
  ASSERT_TRUE(energy->co2_g);
  EXPECT_NEAR(energy->co2_g->mid, 956.8, 1e-6);
  EXPECT_EQ(energy->source, EnergySource::predicted);
  EXPECT_FALSE(estimator.energy_of(power, exactly(7200), offer_in("aws", ""))->co2_g);
}

TEST(TrainingEnergy, TakesTheFactorThatTheUserGives) {
  const TrainingPower power{.watts = Interval<double>::exactly(1000)};
  EnergyEstimator estimator(100);
  const auto energy = estimator.energy_of(power, exactly(3600), offer_in("", ""));
  EXPECT_NEAR(energy->kwh.mid, 1.3, 1e-12);
  EXPECT_NEAR(energy->co2_g->mid, 130, 1e-9);
  EXPECT_EQ(energy->grid->source, "--grid");
}

TEST(TrainingEnergy, CountsWhatWasObservedOnce) {
  // 500 J in the first 10 s, then 100 W for 90 s: 9500 J, at a PUE of 1.3.
  const TrainingPower power{10, 500, Interval<double>::exactly(100), EnergySource::measured};
  EnergyEstimator estimator;
  const auto energy = estimator.energy_of(power, exactly(100), {});
  EXPECT_NEAR(energy->kwh.mid, 9500 * 1.3 / 3.6e6, 1e-12);
  EXPECT_EQ(energy->source, EnergySource::measured);
}

TEST(TrainingEnergy, OfOwnedHardwareIsWhatItsTermsSayUnlessItWasMeasured) {
  Offer owned;
  owned.terms = Owned{.power_kw = 0.5};
  EnergyEstimator estimator;
  EXPECT_NEAR(estimator.energy_of({}, exactly(3600), owned)->kwh.mid, 0.5, 1e-12);
  const TrainingPower measured{0, 0, Interval<double>::exactly(100), EnergySource::measured};
  EXPECT_NEAR(estimator.energy_of(measured, exactly(3600), owned)->kwh.mid, 0.13, 1e-12);
}

TEST(TrainingEnergy, ComesFromTheAcceleratorsOfAnOfferWhereNothingElseIsKnown) {
  Offer offer = offer_in("gcp", "us-central1");
  offer.accelerator = "V100";
  offer.accelerator_count = 8;
  EnergyEstimator estimator;
  // 8 x 300 W x 0.67 x 1.25 x 1.09 = 2191 W.
  EXPECT_NEAR(estimator.energy_of({}, exactly(3600), offer)->kwh.mid, 2.1909, 1e-4);
  offer.accelerator = "unheard of";
  EXPECT_FALSE(estimator.energy_of({}, exactly(3600), offer));
  EXPECT_FALSE(estimator.energy_of({}, exactly(3600), {}));
}

TEST(TrainingEnergy, IsNothingWhereTheTimeIsNotFinite) {
  const TrainingPower power{.watts = Interval<double>::exactly(1000)};
  EnergyEstimator estimator;
  EXPECT_FALSE(estimator.energy_of(power, exactly(std::numeric_limits<double>::infinity()), {}));
}

TEST(PowerOfRun, ComesFromTheCountersInItsLog) {
  // RAPL: 100 W; the rest of the machine adds a quarter.
  const auto power = power_of_run(run_with_loads("cpu-mw=100000"));
  ASSERT_TRUE(power);
  EXPECT_EQ(power->source, EnergySource::counters);
  EXPECT_NEAR(power->watts.mid, 125, 1e-9);
  EXPECT_NEAR(power->joules, 1250, 1e-9);
  EXPECT_NEAR(power->seconds, 10, 1e-9);
}

TEST(PowerOfRun, TakesPartsWithoutACounterFromTables) {
  lapcast::Run run = run_with_loads("gpu-mw=300000");
  run.context.machine.accelerators.push_back({.vendor = "nvidia", .model = "A100"});
  // (300 W + 280 W x 0.65) x 1.25.
  EXPECT_NEAR(power_of_run(run)->watts.mid, (300 + 182) * 1.25, 1e-9);
  EXPECT_EQ(power_of_run(run)->source, EnergySource::counters);
}

TEST(PowerOfRun, SaysWhatWasCountedAndWhatIsAssumed) {
  lapcast::Run run = run_with_loads("gpu-mw=300000");
  run.context.machine.accelerators.push_back({.vendor = "nvidia", .model = "A100"});
  const std::string rest = "the rest of the machine (x1.25 of these)";
  EXPECT_EQ(power_of_run(run)->basis, "GPU counted; assumed: CPU, " + rest);
  EnergyEstimator estimator;
  EXPECT_EQ(estimator.energy_of(power_of_run(run), exactly(60), {})->basis,
            "GPU counted; assumed: CPU, " + rest + ", the data centre (PUE 1.3)");
  EXPECT_EQ(power_of_run(run_with_loads("cpu-mw=100000"))->basis, "CPU counted; assumed: " + rest);
  EXPECT_EQ(power_of_run(run_with_loads("cpus=4"))->basis, "");
}

// 7 s of start-up with 80 W, then 3 s of training with 400 W: the rest takes 400 W.
TEST(PowerOfRun, OfTheRestIsThatOfTheTrainingNotOfALongStart) {
  lapcast::Run run = run_with_loads("");
  std::string log = "lapcast-laps 1\n0 hello clock=0 pid=1\n";
  for (int second = 1; second <= 10; ++second) {
    log += fmt::format("{}000000000 load 1000000000 cpu-mw={}\n", second,
                       second <= 7 ? 80'000 : 400'000);
    if (second == 7) log += "7000000000 stage-begin load\n7000000000 stage-end load\n";
    if (second > 7) log += fmt::format("{}000000000 i 1\n", second);
  }
  run.lap_logs = {log};
  EXPECT_NEAR(power_of_run(run)->watts.mid, 400 * 1.25, 1e-9);
  // The start-up is told apart: 80 W x 1.25 for 7 s, at a PUE of 1.3.
  EXPECT_NEAR(*power_of_run(run)->start_up_watts, 100, 1e-9);
  EXPECT_NEAR(power_of_run(run)->start_up_seconds, 7, 1e-9);
  EnergyEstimator estimator;
  const auto energy = estimator.energy_of(power_of_run(run), exactly(10), {});
  EXPECT_NEAR(*energy->start_up_kwh, 700 * 1.3 / 3.6e6, 1e-12);
  EXPECT_NEAR(*energy->training_watts, 500, 1e-9);
  EXPECT_FALSE(energy->idle_gpu_watts);
}

TEST(PowerOfRun, ComesFromTablesWithoutCounters) {
  const auto power = power_of_run(run_with_loads("cpus=4"));
  ASSERT_TRUE(power);
  EXPECT_EQ(power->source, EnergySource::predicted);
  EXPECT_NEAR(power->watts.mid, 182 * 1.25, 1e-9);
  EXPECT_FALSE(power_of_run(lapcast::Run{}));
}

TEST(PowerOfRun, OfAMeterCountsBeforeTheCounters) {
  std::string csv;
  for (int second = 0; second <= 10; ++second)
    csv += fmt::format("2026-11-25T12:00:{:02}Z,400\n", second);
  const auto meter = read_meter(csv);
  ASSERT_TRUE(meter);
  const lapcast::Run run = run_with_loads("cpu-mw=100000");
  EXPECT_NEAR(power_of_run(run, &*meter)->watts.mid, 400, 1e-9);
  EXPECT_EQ(power_of_run(run, &*meter)->source, EnergySource::measured);
  lapcast::Run later = run;
  later.context.started_at = "2026-11-25T13:00:00Z";
  EXPECT_EQ(power_of_run(later, &*meter)->source, EnergySource::counters);
}

}  // namespace
}  // namespace lapcast
