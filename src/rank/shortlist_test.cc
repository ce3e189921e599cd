#include "rank/shortlist.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace lapcast {
namespace {

const AcceleratorTable& table() {
  return AcceleratorTable::shipped();
}

Offer offer_on(const std::string& accelerator, const std::string& price, int count = 1) {
  Offer offer;
  offer.name = "cloud/" + accelerator + "/" + price;
  offer.provider = "cloud";
  offer.machine_type = accelerator;
  offer.accelerator = accelerator;
  offer.accelerator_count = count;
  offer.price = {Money::parse(price)};
  offer.as_of = "2026-11-01";
  offer.source = "a test";
  return offer;
}

/// Returns a training of 1 h on a T4, without what the batch does not change.
HomeMeasurement home_on_t4() {
  HomeMeasurement home;
  home.accelerator = table().named("T4");
  home.laps = {{64, 1.0, {}}, {256, 3.95, {}}};
  const Seconds hour{3600};
  home.laps_of_training = {hour * 0.98, hour, hour * 1.02};
  home.fixed = Seconds{20};
  return home;
}

Shortlist shortlist_of(const HomeMeasurement& home, const std::vector<Offer>& offers,
                       const Preferences& preferences = {}, const ShortlistSize& size = {}) {
  std::vector<const Offer*> pointers;
  for (const Offer& offer : offers) pointers.push_back(&offer);
  const auto list = make_shortlist(home, pointers, preferences, size, table(),
                                   read_machine_factors(machine_factors_csv()));
  EXPECT_TRUE(list);
  return list.value_or(Shortlist{});
}

TEST(ShortlistTest, TheHomesOwnTypeIsAsMeasured) {
  const Shortlist list = shortlist_of(home_on_t4(), {offer_on("T4", "0.5")});
  ASSERT_EQ(list.rows.size(), 1U);
  EXPECT_EQ(list.rows[0].kind, TransferKind::measured);
  EXPECT_NEAR(list.rows[0].time.mid.count(), 3620, 60);
  EXPECT_NEAR(list.rows[0].chance, 1, 1e-9);
  EXPECT_TRUE(list.probes.empty());
}

TEST(ShortlistTest, AFasterMachineIsTransferredWithAWideInterval) {
  const Shortlist list =
      shortlist_of(home_on_t4(), {offer_on("V100", "0.5"), offer_on("T4", "0.5")});
  ASSERT_EQ(list.rows.size(), 2U);
  const ShortlistRow& v100 = list.rows[0];
  EXPECT_EQ(v100.on.accelerator->name, "V100_SXM2");
  EXPECT_EQ(v100.kind, TransferKind::transferred);
  // The table has a V100 2.47 times as fast: exp(0.0873 + 0.8171).
  EXPECT_GT(v100.time.mid.count(), 3600 / 3.2);
  EXPECT_LT(v100.time.mid.count(), 3600 / 1.8);
  EXPECT_GT(v100.time.high / v100.time.low, 1.5);
  EXPECT_EQ(v100.quote.lines.back().amount <= v100.quote.total.mid, true);
}

TEST(ShortlistTest, ChosenAndExcludedAreAllOffers) {
  HomeMeasurement home = home_on_t4();
  home.peak_bytes = std::int64_t{12} << 30;
  const std::vector<Offer> offers{offer_on("T4", "0.3"),  offer_on("V100", "2"),
                                  offer_on("V100", "3"),  offer_on("V100", "8", 4),
                                  offer_on("P4", "0.1"),  offer_on("tpu-v5p-8", "1"),
                                  offer_on("", "0.05", 0)};
  const Shortlist list = shortlist_of(home, offers, {}, {.rows = 50, .each_offer = true});
  std::size_t excluded = 0;
  std::vector<std::string> reasons;
  for (const WithoutRow& row : list.without) {
    excluded += row.offers;
    reasons.push_back(row.reason);
  }
  EXPECT_EQ(list.rows.size(), 3U);
  EXPECT_EQ(list.rows.size() + excluded, offers.size());
  EXPECT_EQ(
      std::ranges::count(reasons, "less memory than the 12.0 GiB that the program used at home"),
      1);
  double chances = 0;
  for (const ShortlistRow& row : list.rows) chances += row.chance;
  EXPECT_NEAR(chances, 1, 1e-9);
}

TEST(ShortlistTest, OneRowForEachAcceleratorCountsItsOffers) {
  const std::vector offers{offer_on("V100", "3"), offer_on("V100", "2"), offer_on("T4", "0.3")};
  const Shortlist list = shortlist_of(home_on_t4(), offers);
  ASSERT_EQ(list.rows.size(), 2U);
  const auto v100 = std::ranges::find(list.rows, 2U, &ShortlistRow::offers);
  ASSERT_NE(v100, list.rows.end());
  EXPECT_EQ(v100->offer->name, "cloud/V100/2");
  EXPECT_EQ(list.offers_with_row, 3U);
}

TEST(ShortlistTest, LimitsLeaveOutWithTheirReasons) {
  Preferences preferences;
  preferences.deadline = Seconds{2400};
  const Shortlist list =
      shortlist_of(home_on_t4(), {offer_on("T4", "0.3"), offer_on("V100", "2")}, preferences);
  ASSERT_EQ(list.rows.size(), 1U);
  ASSERT_EQ(list.without.size(), 1U);
  EXPECT_EQ(list.without[0].reason, "takes longer than the deadline");
}

TEST(ShortlistTest, OneBatchSizeIsWiderAndSaysWhatWouldHelp) {
  HomeMeasurement one = home_on_t4();
  one.laps.resize(1);
  const std::vector<Offer> offers{offer_on("A100-80GB", "3")};
  const Shortlist narrow = shortlist_of(home_on_t4(), offers), wide = shortlist_of(one, offers);
  EXPECT_GT(wide.rows[0].time.high / wide.rows[0].time.low,
            narrow.rows[0].time.high / narrow.rows[0].time.low);
  ASSERT_EQ(wide.warnings.size(), 1U);
  EXPECT_NE(wide.warnings[0].find("one batch size"), std::string::npos);
  EXPECT_TRUE(narrow.warnings.empty());
}

TEST(ShortlistTest, ALapThatTheBatchDoesNotChangeIsTheHosts) {
  HomeMeasurement home = home_on_t4();
  home.laps[1].seconds = 1.05;
  const Shortlist list = shortlist_of(home, {offer_on("H100", "3")});
  ASSERT_EQ(list.warnings.size(), 1U);
  EXPECT_NE(list.warnings[0].find("no ratio holds for sure"), std::string::npos);
}

TEST(ShortlistTest, WithoutAnAcceleratorOnlyCountedWorkGivesRows) {
  HomeMeasurement home = home_on_t4();
  home.accelerator = nullptr;
  const Offer offer = offer_on("V100", "2");
  const Offer* const offers[] = {&offer};
  const auto factors = read_machine_factors(machine_factors_csv());
  const auto none = make_shortlist(home, offers, {}, {}, table(), factors);
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().text.find("no ratio holds"), std::string::npos);
  home.flops = 64 * 24e9;
  home.activations = 64 * 11e6;
  const auto counted = make_shortlist(home, offers, {}, {}, table(), factors);
  ASSERT_TRUE(counted);
  EXPECT_EQ(counted->rows[0].kind, TransferKind::counted);
}

TEST(ShortlistTest, AProbeIsProposedOnlyIfItIsWorthItsPrice) {
  HomeMeasurement home = home_on_t4();
  const Seconds days{30 * 86400.0};
  home.laps_of_training = {days * 0.98, days, days * 1.02};
  const std::vector<Offer> offers{offer_on("V100", "1"), offer_on("A100", "2"),
                                  offer_on("L4", "0.9")};
  const Shortlist large = shortlist_of(home, offers);
  EXPECT_FALSE(large.probes.empty());
  Money price;
  for (const ShortlistProbe& probe : large.probes) price += probe.price;
  EXPECT_GT(large.worth, price);
  home.laps_of_training = {Seconds{60}, Seconds{61}, Seconds{62}};
  EXPECT_TRUE(shortlist_of(home, offers).probes.empty());
}

TEST(ShortlistTest, AProbeCostsTheTimeThatItTakesOnItsMachine) {
  HomeMeasurement home = home_on_t4();
  const Seconds hour{3600};
  home.laps_of_training = {hour * 0.98, hour, hour * 1.02};
  const std::vector<Offer> offers{offer_on("V100", "1.80"), offer_on("A100", "1.80")};
  ShortlistSize size;
  for (const Offer& offer : offers) size.probe_times[offer.name] = Seconds{10};
  const Shortlist quick = shortlist_of(home, offers, {}, size);
  ASSERT_FALSE(quick.probes.empty());
  EXPECT_NEAR(quick.probes[0].price.dollars(), 0.005, 1e-9);
  for (auto& [name, time] : size.probe_times) time = Seconds{7200};
  EXPECT_TRUE(shortlist_of(home, offers, {}, size).probes.empty());
}

TEST(ShortlistTest, AProbeIsMeasuredAndMovesTheOthers) {
  const std::vector<Offer> offers{offer_on("V100", "1"), offer_on("A100", "2")};
  const auto time_of = [](const Shortlist& list, const std::string& name) {
    return std::ranges::find(list.rows, name,
                             [](const ShortlistRow& row) { return row.on.accelerator->name; })
        ->time;
  };
  HomeMeasurement home = home_on_t4();
  const Shortlist before = shortlist_of(home, offers);
  home.probes.push_back({table().named("V100_SXM2"), {64, 0.8, {}}});  // much less than expected
  const Shortlist after = shortlist_of(home, offers);
  EXPECT_NEAR(time_of(after, "V100_SXM2").mid.count(), 20 + 0.8 * 3600, 60);
  EXPECT_GT(time_of(after, "A100_40_SXM4").mid, time_of(before, "A100_40_SXM4").mid * 1.2);
  EXPECT_EQ(std::ranges::count(after.rows, TransferKind::measured, &ShortlistRow::kind), 1);
}

/// Returns the training of home_on_t4() on workers of one T4 each, with 64 samples of each in a
/// lap.
TrainingOnWorkers on_t4s(double workers, double lap) {
  const Seconds mid{lap}, all{3600 / workers * lap};
  return {.workers = {1, workers},
          .batch = 64 * workers,
          .lap = {mid * .99, mid, mid * 1.01},
          .training = {all * .98, Seconds{20} + all, Seconds{40} + all * 1.02},
          .fixed = Seconds{20}};
}

std::map<std::string, ShortlistRow> by_hardware(const Shortlist& list) {
  std::map<std::string, ShortlistRow> rows;
  for (const ShortlistRow& row : list.rows) rows.emplace(row.hardware(), row);
  return rows;
}

double spread(const ShortlistRow& row) {
  return row.time.high / row.time.low;
}

TEST(ShortlistTest, SeveralAcceleratorsNeedAProgramThatIsToldItsWorkers) {
  const std::vector<Offer> offers{offer_on("T4", "1", 4), offer_on("T4", "1"),
                                  offer_on("V100", "4", 4), offer_on("V100", "4")};
  EXPECT_EQ(shortlist_of(home_on_t4(), offers).rows.size(), 2U);
  HomeMeasurement home = home_on_t4();
  home.on_workers = {on_t4s(1, 1)};
  const auto rows = by_hardware(shortlist_of(home, offers));
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows.at("T4").provenance(), "measured");
  EXPECT_EQ(rows.at("4 x T4").provenance(), "scaled");
  EXPECT_EQ(rows.at("4 x V100_SXM2").provenance(), "transferred and scaled");
  // A quarter of the laps, each a little longer.
  EXPECT_NEAR(rows.at("4 x T4").time.mid.count(), 20 + 900 * 1.05, 60);
  EXPECT_LT(rows.at("4 x V100_SXM2").time.mid.count(), rows.at("V100_SXM2").time.mid.count() / 2.5);
  EXPECT_GT(spread(rows.at("4 x T4")), 2 * spread(rows.at("T4")) - 1);
  EXPECT_GT(spread(rows.at("4 x V100_SXM2")), spread(rows.at("4 x T4")));
}

TEST(ShortlistTest, LargerGlobalBatchesTakeTheEpochsThatWereLearned) {
  const std::vector<Offer> offers{offer_on("T4", "1", 4), offer_on("T4", "1")};
  HomeMeasurement home = home_on_t4();
  home.on_workers = {on_t4s(1, 1)};
  home.on_workers.front().epochs = 10;
  const auto as_many = by_hardware(shortlist_of(home, offers));
  home.needs = {{64, Interval<double>::exactly(10)}, {256, {10, 20, 40}}};
  const auto learned = by_hardware(shortlist_of(home, offers));
  EXPECT_EQ(learned.at("T4").time.mid, as_many.at("T4").time.mid);
  EXPECT_NEAR(
      (learned.at("4 x T4").time.mid.count() - 20) / (as_many.at("4 x T4").time.mid.count() - 20),
      2, 0.2);
  EXPECT_GT(spread(learned.at("4 x T4")), 2 * spread(as_many.at("4 x T4")));
}

TEST(ShortlistTest, ExchangesThatWereMeasuredCountOnOtherMachinesToo) {
  const std::vector<Offer> offers{offer_on("T4", "1", 4), offer_on("T4", "1", 2),
                                  offer_on("V100", "4", 4)};
  HomeMeasurement home = home_on_t4();
  home.on_workers = {on_t4s(1, 1)};
  const auto before = by_hardware(shortlist_of(home, offers));
  home.on_workers.push_back(on_t4s(2, 2));  // two are no faster than one
  const auto after = by_hardware(shortlist_of(home, offers));
  EXPECT_EQ(after.at("2 x T4").provenance(), "measured");
  EXPECT_NEAR(after.at("2 x T4").time.mid.count(), 3620, 1);
  // Laps of four take at least as long as those of two: half as many of 2 s.
  EXPECT_GT(after.at("4 x T4").time.mid.count(), 1700);
  EXPECT_GT(after.at("4 x V100_SXM2").time.mid, before.at("4 x V100_SXM2").time.mid * 1.3);
}

TEST(ShortlistTest, AHomeOnTwoWorkersScalesDownToOne) {
  HomeMeasurement home = home_on_t4();
  home.on_workers = {on_t4s(2, 1)};
  home.laps_of_training = {Seconds{1790}, Seconds{1800}, Seconds{1810}};
  const auto rows = by_hardware(shortlist_of(home, {offer_on("T4", "1"), offer_on("T4", "1", 2)}));
  EXPECT_EQ(rows.at("2 x T4").provenance(), "measured");
  EXPECT_EQ(rows.at("T4").provenance(), "scaled");
  EXPECT_NEAR(rows.at("T4").time.mid.count(), 20 + 3600, 300);
}

TEST(ShortlistTest, AProbeOnAllAcceleratorsOfAMachineIsMeasured) {
  HomeMeasurement home = home_on_t4();
  home.on_workers = {on_t4s(1, 1)};
  home.probes.push_back({.accelerator = table().named("V100_SXM2"),
                         .lap = {64, 0.6, {}},
                         .workers = 4,
                         .training = Interval<Seconds>{Seconds{500}, Seconds{560}, Seconds{600}}});
  const auto rows =
      by_hardware(shortlist_of(home, {offer_on("V100", "4", 4), offer_on("V100", "4")}));
  EXPECT_EQ(rows.at("4 x V100_SXM2").provenance(), "measured");
  EXPECT_NEAR(rows.at("4 x V100_SXM2").time.mid.count(), 560, 1e-9);
  EXPECT_EQ(rows.at("V100_SXM2").provenance(), "transferred");
}

/// Returns an offer without an accelerator, and what is known of its CPUs.
Offer offer_of_cpus(const std::string& name, const std::string& price) {
  Offer offer = offer_on("", price, 0);
  offer.name = name;
  return offer;
}
CpuMachine cpus(const std::string& name, double threads) {
  return {name, threads, {}, 3, "AVX2"};
}

HomeMeasurement home_on_cpus() {
  HomeMeasurement home = home_on_t4();
  home.accelerator = nullptr;
  home.cpu = cpus("home", 2);
  return home;
}

TEST(ShortlistTest, MachinesWithoutAcceleratorsAreComparedByTheirCpus) {
  const ShortlistSize size{.rows = 9,
                           .cpus = {{"two", cpus("two", 2)}, {"eight", cpus("eight", 8)}}};
  const std::vector<Offer> offers{offer_of_cpus("two", "0.1"), offer_of_cpus("eight", "0.4")};
  const Shortlist list = shortlist_of(home_on_cpus(), offers, {}, size);
  ASSERT_EQ(list.rows.size(), 2U);
  EXPECT_EQ(list.rows[0].offer->name, "two");
  EXPECT_EQ(list.rows[0].hardware(), "2 CPUs");
  EXPECT_EQ(list.rows[0].kind, TransferKind::transferred);
  EXPECT_NEAR(list.rows[0].time.mid.count(), 3620, 200);
  // four times the CPUs are twice as fast, with any share that runs beside the others
  EXPECT_NEAR(list.rows[1].time.mid.count(), 20 + 3600 / 2.0, 200);
  EXPECT_GT(list.rows[1].time.high / list.rows[1].time.low, 3);
}

TEST(ShortlistTest, MachinesWithoutEnoughMainMemoryAreLeftOut) {
  HomeMeasurement home = home_on_cpus();
  home.main_bytes = std::int64_t{12} << 30;
  std::vector<Offer> offers{offer_of_cpus("little", "0.1"), offer_of_cpus("enough", "0.2"),
                            offer_of_cpus("unknown", "0.3")};
  for (Offer& offer : offers) offer.vcpus = 4;
  offers[0].memory_bytes = (std::int64_t{12} << 30) - 1;
  offers[1].memory_bytes = std::int64_t{12} << 30;
  const Shortlist list = shortlist_of(home, offers, {}, {.rows = 9, .each_offer = true});
  EXPECT_EQ(list.rows.size(), 2U);
  ASSERT_EQ(list.without.size(), 1U);
  EXPECT_EQ(list.without[0].example, "little");
  EXPECT_EQ(list.without[0].reason,
            "less main memory than the 12.0 GiB that the program used at home");
}

TEST(ShortlistTest, AProbeOnCpusIsMeasuredWithItsOwnTraining) {
  HomeMeasurement home = home_on_cpus();
  const Seconds hour{3600};
  home.probes.push_back({nullptr,
                         {64, 0.5, {}},
                         cpus("eight", 8),
                         1,
                         Interval<Seconds>{hour * 0.49, hour * 0.5, hour * 0.51}});
  const ShortlistSize size{.rows = 9,
                           .cpus = {{"sixteen", cpus("sixteen", 16)}, {"eight", cpus("eight", 8)}}};
  const std::vector<Offer> offers{offer_of_cpus("sixteen", "0.5"), offer_of_cpus("eight", "0.1")};
  const Shortlist list = shortlist_of(home, offers, {}, size);
  ASSERT_EQ(list.rows.size(), 2U);
  EXPECT_EQ(list.rows[0].kind, TransferKind::measured);
  EXPECT_EQ(list.rows[0].time.mid, hour * 0.5);
  EXPECT_EQ(list.rows[0].time.high, hour * 0.51);
  EXPECT_EQ(list.rows[1].kind, TransferKind::transferred);
}

TEST(ShortlistTest, AcrossSortsOfMachinesOnlyASearchAssumes) {
  const std::vector<Offer> offers{offer_on("T4", "0.5"), offer_on("V100", "0.5")};
  const Shortlist none = shortlist_of(home_on_cpus(), offers);
  EXPECT_TRUE(none.rows.empty());
  const Shortlist list = shortlist_of(home_on_cpus(), offers, {}, {.rows = 9, .assume = true});
  ASSERT_EQ(list.rows.size(), 2U);
  EXPECT_EQ(list.rows[0].kind, TransferKind::assumed);
  EXPECT_EQ(list.rows[0].on.accelerator->name, "V100_SXM2");
  EXPECT_GT(list.rows[0].time.high / list.rows[0].time.low, 100);
}

}  // namespace
}  // namespace lapcast
