// Measures how well the laps of a program on machines that were not measured are forecast, on
// public sets of the same programs on several machines: the folder is an argument. In each part the
// program, the family of machines or the whole set is left out of the table of factors. The spread
// of programs in the prior is chosen on the programs of one half, by a hash of the name, and judged
// on the other. Errors are medians and 90th percentiles; docs/benchmarks.md has the goals. The last
// line counts the goals that are met.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "price/offer_filter.h"
#include "query/current_offers.h"
#include "rank/shortlist.h"
#include "shortlist/counted_cases.h"
#include "shortlist/own_cases.h"
#include "shortlist/set_cases.h"

namespace {

using namespace lapcast;
using namespace lapcast::shortlist;

constexpr double kScales[] = {0.35, 0.5, 0.7, 1.0};  // of the spread of programs by transfer-models

FitConstants scaled(double scale) {
  FitConstants constants;
  for (double& sd : constants.prior.program_sd) sd *= scale / 0.5;
  return constants;
}

/// Holds the forecasts of Lambda's programs, by the number of probes.
struct Lambda {
  std::vector<Judged> program_out[3], set_out[3];
};

Lambda judge_lambda(const PublicSets& sets, const FitConstants& constants) {
  const std::vector<ProgramRow> others = sets.without("lambda");
  const std::vector<ProgramRow> lambda = programs_of(sets.lambda);
  const std::vector<MachineItem> items = items_of(lambda);
  const auto& table = AcceleratorTable::shipped();
  const MachineFactors foreign =
      with_items(fit_factors(others, constants).unseen, items, table, constants.prior);
  std::set<std::string> tasks;
  for (const ProgramRow& program : lambda) tasks.insert(program.task);
  Lambda judged;
  for (const std::string& task : tasks) {
    std::vector<ProgramRow> rest = others;
    for (const ProgramRow& program : lambda)
      if (program.task != task) rest.push_back(program);
    const MachineFactors own =
        with_items(fit_factors(rest, constants).seen.at("lambda"), items, table, constants.prior);
    for (const ProgramRow& program : lambda)
      for (std::size_t probes = 0; program.task == task && probes < 3; ++probes) {
        judge_program(own, program, probes, {}, judged.program_out[probes]);
        judge_program(foreign, program, probes, {}, judged.set_out[probes]);
      }
  }
  return judged;
}

void append(std::vector<Judged>& all, const std::vector<Judged>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

/// Returns Lambda's forecasts, each half with the scale that the other half chose.
Lambda cross_fitted(const PublicSets& sets) {
  std::vector<Lambda> all;
  for (const double scale : kScales) all.push_back(judge_lambda(sets, scaled(scale)));
  Lambda result;
  for (int half = 0; half < 2; ++half) {
    std::size_t best = 0;
    double most = -1e300;
    for (std::size_t i = 0; i < all.size(); ++i) {
      double score = 0;
      for (const auto& judged : all[i].set_out) score += score_of(of_half(judged, 1 - half));
      if (score > most) {
        most = score;
        best = i;
      }
    }
    std::printf("  half %d is judged with the spread x %g, which half %d chose\n", half,
                kScales[best], 1 - half);
    for (int k = 0; k < 3; ++k) {
      append(result.program_out[k], of_half(all[best].program_out[k], half));
      append(result.set_out[k], of_half(all[best].set_out[k], half));
    }
  }
  return result;
}

void lambda_part(const PublicSets& sets, Goals& goals) {
  goals.heading("Lambda, one GPU");
  const Lambda lambda = cross_fitted(sets);
  const auto show = [&](const std::string& name, const std::vector<Judged>& judged) {
    const Errors errors = errors_of(judged);
    goals.show(name, errors);
    return errors;
  };
  Errors e = show("program left out, no probe", lambda.program_out[0]);
  goals.error_goal(e, 15, 45);
  goals.coverage_goal(e, 90, 98);
  e = show("program left out, two random probes", lambda.program_out[2]);
  goals.error_goal(e, 8, 30);
  goals.coverage_goal(e, 90, 98);
  e = show("set left out, no probe", lambda.set_out[0]);
  goals.error_goal(e, 22, 60);
  goals.width_goal(e, 1.4);
  e = show("set left out, two random probes", lambda.set_out[2]);
  goals.error_goal(e, 15, 40);
  goals.width_goal(e, 1.05);
  e = show("version 0, family left out, known programs", judge_families(sets, {}));
  goals.error_goal(e, 10, 31);
  goals.width_goal(e, 0.8);
}

/// Shows figures without goals: how far rows are off that are scaled, or transferred and scaled.
void several_part(const std::string& folder, const PublicSets& sets, Goals& goals) {
  goals.heading("Lambda, several GPUs from one lap on one, the set left out (no goals)");
  const std::vector<MachineItem> items = items_of(programs_of(sets.lambda));
  const MachineFactors factors = with_items(fit_factors(sets.without("lambda"), {}).unseen, items,
                                            AcceleratorTable::shipped());
  goals.show("of the same GPU", errors_of(judge_several(sets, factors, folder, true)));
  goals.show("of another GPU", errors_of(judge_several(sets, factors, folder, false)));
}

/// Returns forecasts with own programs, each half with the share that the other half chose.
std::vector<Judged> own_cross_fitted(const MachineFactors& factors,
                                     const std::vector<ProgramRow>& programs, OwnWay way) {
  constexpr double kShares[] = {.2, .4, .6, .8};
  std::vector<std::vector<Judged>> all;
  for (const double share : kShares) {
    way.share = share;
    all.push_back(judge_with_own(factors, programs, way));
  }
  std::vector<Judged> result;
  for (int half = 0; half < 2; ++half) {
    std::vector<double> scores;
    for (const auto& judged : all) scores.push_back(score_of(of_half(judged, 1 - half)));
    const auto best = std::size_t(std::ranges::max_element(scores) - scores.begin());
    std::printf("  half %d chose the share %g; densities of .2 .4 .6 .8: %.3f %.3f %.3f %.3f\n",
                1 - half, kShares[best], scores[0], scores[1], scores[2], scores[3]);
    append(result, of_half(all[best], half));
  }
  return result;
}

/// Shows figures without goals: what other programs of the user on the same machines tell (class
/// mine), without and with a share that the other half of the programs chose.
void own_part(const PublicSets& sets, Goals& goals) {
  goals.heading("Lambda, the set left out, other programs of it are the user's own (no goals)");
  const std::vector<ProgramRow> programs = programs_of(sets.lambda);
  const MachineFactors factors = with_items(fit_factors(sets.without("lambda"), {}).unseen,
                                            items_of(programs), AcceleratorTable::shipped());
  goals.show("no own program", errors_of(judge_with_own(factors, programs, {})));
  struct Part {
    std::size_t programs, machines;
    const char* name;
  };
  for (const Part& part : {Part{1, 0, "1 on all machines"}, Part{3, 0, "3 on all machines"},
                           Part{1, 3, "1 on the home and two machines"},
                           Part{3, 3, "3 on the home and two machines each"}}) {
    const OwnWay way{part.programs, part.machines};
    goals.show(part.name, errors_of(judge_with_own(factors, programs, way)));
    goals.show(std::string(part.name) + ", cross-fitted",
               errors_of(own_cross_fitted(factors, programs, way)));
  }
}

void batches_part(const PublicSets& sets, Goals& goals) {
  goals.heading("Two batches at home");
  const Errors e = errors_of(judge_two_batches(sets, {}));
  goals.show("Sia, set left out", e);
  goals.error_goal(e, 20, 90);
  goals.coverage_goal(e, 90, 98);
}

void foreign_part(const PublicSets& sets, Goals& goals) {
  goals.heading("One lap at one batch, the set left out, the host's part unknown");
  bool all_cover = true;
  for (const auto& rows : sets.rows) {
    const std::string set = class_of(rows.front().set);
    const std::vector<ProgramRow> programs = programs_of(rows);
    const MachineFactors factors = with_items(fit_factors(sets.without(set)).unseen,
                                              items_of(programs), AcceleratorTable::shipped());
    std::vector<Judged> judged;
    for (const ProgramRow& program : programs)
      judge_program(factors, program, 0, {.host_share = kHostBoundShare}, judged);
    const Errors e = errors_of(judged);
    goals.show(set, e);
    all_cover = all_cover && e.coverage >= 88;
  }
  goals.goal("coverage of each set 88 % or more", all_cover);
}

void neusight_part(const std::string& folder, const PublicSets& sets, Goals& goals) {
  goals.heading("NeuSight's rows, with a run of the same network there");
  constexpr double kNoises[] = {.03, .05, .1, .15};
  std::vector<BesideNeusight> rows;
  for (int half = 0; half < 2; ++half) {
    double most = -1e300, chosen = 0;
    std::vector<BesideNeusight> best;
    for (const double noise : kNoises) {
      const auto all = judge_neusight(folder, sets, noise);
      std::vector<Judged> other;
      for (const BesideNeusight& row : all)
        if (half_of(row.ours.task) != half) other.push_back(row.ours);
      if (const double score = score_of(other); score > most) {
        most = score;
        chosen = noise;
        best = all;
      }
    }
    std::printf("  half %d is judged with the noise %g, which half %d chose\n", half, chosen,
                1 - half);
    for (const BesideNeusight& row : best)
      if (half_of(row.ours.task) == half) rows.push_back(row);
  }
  std::vector<Judged> ours;
  std::vector<double> theirs;
  double better = 0;
  for (const BesideNeusight& row : rows) {
    ours.push_back(row.ours);
    theirs.push_back(row.theirs);
    better += errors_of({row.ours}).median <= row.theirs ? 100.0 / double(rows.size()) : 0;
  }
  goals.show("ours", errors_of(ours));
  std::printf("  NeuSight %.1f / %.1f %%; ours is better in %.0f %% of %zu rows\n",
              quantile_of(theirs, .5), quantile_of(theirs, .9), better, rows.size());
  goals.goal("better in 70 % of the rows", better >= 70);
}

void counted_part(const std::string& folder, Goals& goals) {
  goals.heading("timm's networks from counted work alone, families left out");
  struct Part {
    const char* device;
    double median, p90;
  };
  for (const Part& part : {Part{"rtx3090", 12, 34}, Part{"rtx4090", 17, 60}}) {
    const Errors e = errors_of(judge_counted(folder, part.device, "240"));
    goals.show(part.device, e);
    goals.error_goal(e, part.median, part.p90);
    goals.coverage_goal(e, 90, 98);
  }
}

/// Measures what share of the built-in offers with one GPU get a row, and how long that takes.
void catalog_part(Goals& goals) {
  goals.heading("The built-in catalog");
  const std::vector<Offer> offers = shipped_offers();
  std::vector<const Offer*> all;
  for (const Offer& offer : offers) all.push_back(&offer);
  HomeMeasurement home;
  home.accelerator = AcceleratorTable::shipped().named("3090");
  home.precision = PrecisionClass::half;
  home.laps = {{32, .3, {}}, {128, 1.15, {}}};
  const Seconds day{86400};
  home.laps_of_training = {day * .98, day, day * 1.02};
  Shortlist list;
  std::vector<double> milliseconds;
  for (int round = 0; round < 11; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    list = make_shortlist(home, all, {}, {}, AcceleratorTable::shipped(),
                          read_machine_factors(machine_factors_csv()))
               .value();
    milliseconds.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
            .count());
  }
  double one = 0, others = 0;
  for (const Offer& offer : offers) {
    if (offer.accelerator_count != 1) continue;
    const bool is_other = holds(offer.accelerator, "tpu") ||
                          holds(offer.accelerator, "inferentia") ||
                          holds(offer.accelerator, "trainium");
    ++(is_other ? others : one);
  }
  const double share = 100 * double(list.offers_with_row) / one;
  const double time = quantile_of(milliseconds, .5);
  std::printf(
      "  %.1f %% of %.0f offers with one GPU have a row; %.0f with a TPU, Inferentia or "
      "Trainium have a reason\n",
      share, one, others);
  goals.goal("98 % or more of the offers with one GPU", share >= 98);
  std::printf("  %.0f ms for %zu offers (median of %zu)\n", time, all.size(), milliseconds.size());
  goals.goal("<= 150 ms", time <= 150);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s DIR, the folder of public sets\n", argv[0]);
    return 2;
  }
  const PublicSets sets(argv[1]);
  Goals goals;
  lambda_part(sets, goals);
  several_part(argv[1], sets, goals);
  own_part(sets, goals);
  batches_part(sets, goals);
  foreign_part(sets, goals);
  neusight_part(argv[1], sets, goals);
  counted_part(argv[1], goals);
  catalog_part(goals);
  goals.end("shortlist-accuracy");
}
