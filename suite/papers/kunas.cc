// Künas 2023: three applications on local and cloud accelerators.
#include <fmt/format.h>

#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/money.h"
#include "rank/odds.h"
#include "rank/ranking.h"
#include "suite/papers/paper_offers.h"
#include "suite/papers/study.h"

namespace lapcast {
namespace {

constexpr double kSecondsOfHour = 3600;
constexpr double kBytesOfIperf = 1048576;  // iperf's MBytes are of 2^20 bytes
constexpr double kTrainingFiles = 0.8;     // section 4.3, of the files
constexpr const char* kApplications[] = {"nn-twins", "rnn-sa", "ic-dr"};

/// Holds the figures of the paper and the cells computed from them.
struct Kunas {
  PaperFacts fact{kunas_csv()};
  std::vector<PaperCell> cells;

  void add(std::string_view row, std::string_view quantity, const Interval<double>& recomputed) {
    cells.push_back(fact.cell(row, quantity, recomputed));
  }
  void derive(const char* table, const char* place, std::string row, std::string quantity,
              std::string unit, const Interval<double>& value, std::string how) {
    cells.push_back({.table = table,
                     .place = place,
                     .row = std::move(row),
                     .quantity = std::move(quantity),
                     .unit = std::move(unit),
                     .recomputed = value,
                     .reason = std::move(how)});
  }
};

double efficiency_percent(double baseline, double cost) {
  const Money one = Money::parse("1");
  return 100 * saving(scaled(one, baseline), scaled(one, cost)).value();
}

/// Computes the training time on the local machine from its cost.
double local_s(double paid, double per_hour) {
  return paid / per_hour * kSecondsOfHour;
}

/// Returns how many times faster the TPU is, in lapcast's own ranking, than a machine that needs
/// `other_s`, if sending the data first takes `transfer_s`.
double speed_up_with_transfer(double other_s, double tpu_s, double transfer_s) {
  Candidate other{.machine_type = "P100-node",
                  .time = Interval<Seconds>::exactly(Seconds{other_s})};
  Candidate tpu{.machine_type = "TPUv3-8", .time = Interval<Seconds>::exactly(Seconds{tpu_s})};
  tpu.demand.before.data_in = Seconds{transfer_s};
  const Ranking ranking =
      rank({std::move(other), std::move(tpu)}, paper_offers(), {.by = Objective::time});
  if (ranking.chosen.size() != 2) throw Error(ExitCode::bad_input, "papers.csv lacks an offer");
  return ranking.chosen[1].relative_time;
}

/// Returns the cost of the time at the exact price; the paper does not bill whole seconds.
double usd(const std::string& machine_type, double seconds) {
  return cost_of(paper_offer(machine_type).price, std::llround(seconds * 1e9)).dollars();
}

void add_prices(Kunas& paper) {
  paper.add("local", "price",
            Interval<double>::exactly(paper_offer("P100-node").price.per_hour.dollars()));
  paper.add("ic-dr TPUv3", "price ratio",
            printed_ratio(paper.fact("TPUv3", "price"), paper.fact("local", "price")));
}

void add_preparation(Kunas& paper) {
  const PaperFacts& fact = paper.fact;
  const auto elapsed = [&](const char* how) {
    return fact(std::string("preparation ") + how, "elapsed");
  };
  const Printed images = fact("preparation", "images");
  paper.add("iperf local-to-cloud", "bandwidth",
            over_rounding({fact("iperf local-to-cloud", "transferred"),
                           fact("iperf local-to-cloud", "interval")},
                          [](auto x) { return x[0] * kBytesOfIperf * 8 / 1e6 / x[1]; }));
  for (const char* how : {"local-parallel", "local-sequential"})
    paper.add(std::string("preparation ") + how, "throughput",
              over_rounding({elapsed(how)}, [&](auto x) { return images.value.mid / x[0]; }));
  paper.add("preparation local-parallel", "gain",
            over_rounding({elapsed("local-sequential"), elapsed("local-parallel")},
                          [](auto x) { return efficiency_percent(x[0], x[1]); }));
  paper.add("preparation raw", "size ratio",
            printed_ratio(fact("preparation raw", "size"), fact("preparation prepared", "size")));
  paper.add("preparation raw", "bandwidth ratio",
            printed_ratio(fact("preparation raw", "bandwidth"),
                          fact("preparation prepared", "bandwidth")));
}

/// Derives the times in the cloud, which are only in an image, from the gains over them.
void add_cloud_preparation(Kunas& paper) {
  const PaperFacts& fact = paper.fact;
  const Printed images = fact("preparation", "images");
  const auto cloud_s = [](double local_s, double gain) { return local_s / (1 - gain / 100); };
  for (const std::string how : {"sequential", "parallel"}) {
    const Printed local = fact("preparation local-" + how, "elapsed");
    const Printed gain = fact("preparation local-" + how, "gain over cloud");
    paper.derive("5", "chapter 5", "preparation cloud-" + how, "elapsed", "s",
                 over_rounding({local, gain}, [&](auto x) { return cloud_s(x[0], x[1]); }),
                 "local time / (1 - gain of local over cloud)");
    paper.add("preparation cloud-" + how, "throughput", over_rounding({local, gain}, [&](auto x) {
                return images.value.mid / cloud_s(x[0], x[1]);
              }));
  }
  paper.add("preparation cloud-parallel", "gain",
            over_rounding({fact("preparation local-sequential", "elapsed"),
                           fact("preparation local-sequential", "gain over cloud"),
                           fact("preparation local-parallel", "elapsed"),
                           fact("preparation local-parallel", "gain over cloud")},
                          [&](auto x) {
                            return efficiency_percent(cloud_s(x[0], x[1]), cloud_s(x[2], x[3]));
                          }));
}

void add_speed_ups(Kunas& paper) {
  const PaperFacts& fact = paper.fact;
  const auto over_p100 = [&](const std::string& row) { return fact(row, "speed-up over P100"); };
  paper.add("nn-twins V100", "speed-up over TPUv2",
            printed_ratio(over_p100("nn-twins V100"), over_p100("nn-twins TPUv2")));
  paper.add("nn-twins TPUv3", "speed-up over TPUv2",
            printed_ratio(over_p100("nn-twins TPUv3"), over_p100("nn-twins TPUv2")));
  paper.add("nn-twins V100", "speed-up over TPUv3",
            printed_ratio(over_p100("nn-twins V100"), over_p100("nn-twins TPUv3")));
  paper.add("rnn-sa TPUv3", "speed-up over TPUv2",
            printed_ratio(over_p100("rnn-sa TPUv3"), over_p100("rnn-sa TPUv2")));
  paper.add("ic-dr TPUv3", "speed-up over V100",
            printed_ratio(over_p100("ic-dr TPUv3"), over_p100("ic-dr V100")));
}

/// Adds figures that another section repeats, to check that they are equal.
void add_repeated(Kunas& paper) {
  const auto same = [&](const char* row, const char* again, const char* quantity) {
    paper.add(row, again, Interval<double>::exactly(paper.fact(row, quantity).value.mid));
  };
  same("rnn-sa TPUv3", "speed-up over P100 in section 6.3", "speed-up over P100");
  same("rnn-sa", "training accuracy in the conclusion", "training accuracy");
  same("rnn-sa", "test accuracy in the conclusion", "test accuracy");
}

/// Adds the split of the data sets. Each file of ic-dr except the last has 2,000 images.
void add_splits(Kunas& paper) {
  const auto value = [&](const char* row, const char* quantity) {
    return paper.fact(row, quantity).value.mid;
  };
  const auto add = [&](const char* row, const char* quantity, double recomputed) {
    paper.add(row, quantity, Interval<double>::exactly(recomputed));
  };
  double all = 0;
  for (const char* grade : {"without signs", "mild", "moderate", "grave", "proliferative"})
    all += value((std::string("ic-dr ") + grade).c_str(), "images");
  add("ic-dr", "images", all);
  const double of_file = value("ic-dr file", "images");
  const double files = std::ceil(all / of_file);
  const double training = std::floor(kTrainingFiles * files) * of_file;
  add("ic-dr last file", "images", all - (files - 1) * of_file);
  add("ic-dr training", "images", training);
  add("ic-dr validation", "images", all - training);
  add("ic-dr", "training share", 100 * value("ic-dr training", "images") / all);
  paper.add("ic-dr data set", "average size",
            over_rounding({paper.fact("ic-dr data set", "transferred")},
                          [&](auto x) { return x[0] / files; }));
  const double twins = value("nn-twins training", "samples") + value("nn-twins test", "samples");
  add("nn-twins", "training share", 100 * value("nn-twins training", "samples") / twins);
  double reviews = 0;
  for (const char* part : {"rnn-sa training", "rnn-sa validation", "rnn-sa test"})
    reviews += value(part, "samples");
  add("rnn-sa", "reviews", reviews);
  add("rnn-sa", "training share", 100 * value("rnn-sa training", "samples") / reviews);
  add("rnn-sa", "test share", 100 * value("rnn-sa test", "samples") / reviews);
}

/// Adds the times that follow from the local costs, and the resulting costs of the TPU.
void add_costs(Kunas& paper) {
  const PaperFacts& fact = paper.fact;
  const Printed price = fact("local", "price");
  for (const std::string application : kApplications) {
    const Printed cost = fact(application + " local", "cost");
    const Printed speed_up = fact(application + " TPUv3", "speed-up over P100");
    paper.derive("6.3", "section 6.3", application + " local", "training", "s",
                 over_rounding({cost, price}, [&](auto x) { return local_s(x[0], x[1]); }),
                 "cost / price per hour");
    paper.derive(
        "6.3", "section 6.3", application + " TPUv3", "training", "s",
        over_rounding({cost, price, speed_up}, [&](auto x) { return local_s(x[0], x[1]) / x[2]; }),
        "local time / speed-up");
    paper.add(application + " TPUv3", "cost", over_rounding({cost, price, speed_up}, [&](auto x) {
                return usd("TPUv3-8", local_s(x[0], x[1]) / x[2]);
              }));
    paper.add(application + " TPUv3", "efficiency",
              over_rounding({cost, fact(application + " TPUv3", "cost")},
                            [](auto x) { return efficiency_percent(x[0], x[1]); }));
  }
  const auto extra = over_rounding({fact("nn-twins local", "cost"), fact("nn-twins TPUv3", "cost")},
                                   [](auto x) { return -efficiency_percent(x[0], x[1]); });
  paper.add("nn-twins TPUv3", "extra cost", extra);
  paper.add("nn-twins TPUv3", "extra cost in the conclusion", extra);
}

void add_preemptible(Kunas& paper) {
  const PaperFacts& fact = paper.fact;
  const Printed discount = fact("TPUv3", "preemptible discount");
  for (const std::string application : kApplications) {
    const std::string preemptible = application + " TPUv3-preemptible";
    const Printed on_demand = fact(application + " TPUv3", "cost");
    paper.add(preemptible, "cost", over_rounding({on_demand}, [&](auto x) {
                return x[0] * (1 - discount.value.mid / 100);
              }));
    paper.add(preemptible, "efficiency",
              over_rounding({fact(application + " local", "cost"), fact(preemptible, "cost")},
                            [](auto x) { return efficiency_percent(x[0], x[1]); }));
  }
  paper.add("TPUv3", "preemptible ratio",
            Interval<double>::exactly(100 / (100 - discount.value.mid)));
}

void add_transfer(Kunas& paper) {
  const PaperFacts& fact = paper.fact;
  const Printed transfer = fact("ic-dr data set", "transfer time");
  const Printed over_p100 = fact("ic-dr TPUv3", "speed-up over P100");
  const Printed cost = fact("ic-dr local", "cost");
  const Printed price = fact("local", "price");
  paper.add("ic-dr data set", "transfer rate",
            printed_ratio(fact("ic-dr data set", "transferred"), transfer));
  paper.add("ic-dr TPUv3", "speed-up with transfer over P100",
            over_rounding({cost, price, over_p100, transfer}, [&](auto x) {
              const double local = local_s(x[0], x[1]);
              return speed_up_with_transfer(local, local / x[2], x[3]);
            }));
  paper.add(
      "ic-dr TPUv3", "speed-up with transfer over V100",
      over_rounding({cost, price, over_p100, transfer, fact("ic-dr V100", "speed-up over P100")},
                    [&](auto x) {
                      const double local = local_s(x[0], x[1]);
                      return speed_up_with_transfer(local / x[4], local / x[2], x[3]);
                    }));
}

}  // namespace

PaperStudy kunas_study() {
  Kunas paper;
  add_prices(paper);
  add_preparation(paper);
  add_cloud_preparation(paper);
  add_speed_ups(paper);
  add_transfer(paper);
  add_splits(paper);
  add_repeated(paper);
  add_costs(paper);
  add_preemptible(paper);
  return {.name = "kunas",
          .title = "Künas 2023, offloading the training of neural networks to accelerators",
          .cells = std::move(paper.cells),
          .notes = {"the times themselves are only in figures: local times follow from costs and "
                    "the price per hour",
                    "the raw images are sent at about 66 Mbit/s, and the data set of table 6.1 at "
                    "12.2 MB/s, both more than the 56.8 Mbit/s that iperf measured as the most"}};
}

}  // namespace lapcast
