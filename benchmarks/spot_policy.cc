// Measures what policies for spot machines with a deadline cost relative to on demand, on traces of
// spot machines: the folder is an argument. A job of 24 h must finish in 1.25 or 2 times that. It
// begins every four hours of each trace; a tick is 5 min, and a new machine needs one to start. A
// spot machine costs 0.25 of on demand, with which greedy costs nearly what it did where the goals
// were set, and 0.3. The supplies that our policy expects are learned from every other trace, and
// it is judged on the traces between them. A policy's cost is the mean over the starts of a trace,
// then over the traces. The last line is ours with the deadline x1.25 and the price 0.25.
#include <map>

#include "accuracy/hindsight_cost.h"
#include "figure.h"
#include "spot/planned_policy.h"
#include "spot_folder.h"
#include "stats/summary.h"

namespace {

using namespace lapcast;

constexpr Seconds kTick{300};
constexpr int kDay = 288;          // ticks
constexpr double kChange = 0.002;  // of the supply, per tick

using Ticks = std::vector<std::uint8_t>;

/// Returns plans with the supplies of every other trace from `half` on.
std::shared_ptr<const DeadlinePlans> plans_from(const std::vector<Ticks>& traces, std::size_t half,
                                                const DeadlineJob& job) {
  std::vector<Ticks> own;
  for (std::size_t i = half; i < traces.size(); i += 2) own.push_back(traces[i]);
  return std::make_shared<const DeadlinePlans>(
      plans_for(job, learned_prior(supply_grid(kTick.count()), own, kChange)));
}

/// Returns the pieces of a trace that begin every four hours and are as long as the deadline.
std::vector<std::span<const std::uint8_t>> pieces_of(const Ticks& trace, int length) {
  std::vector<std::span<const std::uint8_t>> pieces;
  const auto size = static_cast<std::size_t>(length);
  for (std::size_t begin = 0; begin + size <= trace.size(); begin += kDay / 6)
    pieces.push_back(std::span(trace).subspan(begin, size));
  return pieces;
}

/// Prints a row per policy, and returns the mean cost of ours.
double measure(const std::vector<Ticks>& traces, double stretch, double price) {
  const DeadlineJob job{kDay, static_cast<int>(kDay * stretch), 1, price};
  const std::shared_ptr<const DeadlinePlans> plans[2] = {plans_from(traces, 0, job),
                                                         plans_from(traces, 1, job)};
  std::map<std::string, std::vector<double>> costs, missed;
  std::size_t starts = 0;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    const auto pieces = pieces_of(traces[i], job.deadline);
    if (pieces.size() < 3) continue;
    starts += pieces.size();
    const NamedPolicy policies[] = {{"spot only", spot_only, SafetyNet::without},
                                    {"on demand only", on_demand_only},
                                    {"greedy", greedy},
                                    {"switch back", switch_back},
                                    {"uniform progress", uniform_progress},
                                    {"ours", planned_policy(plans[1 - i % 2])}};
    for (const JudgedPolicy& judged : judge_policies(job, policies, pieces)) {
      costs[judged.name].push_back(judged.cost);
      missed[judged.name].push_back(judged.missed);
    }
    double best = 0;
    for (const auto& piece : pieces)
      best += hindsight_cost(job, piece) / job.work / static_cast<double>(pieces.size());
    costs["best in hindsight"].push_back(best);
    missed["best in hindsight"].push_back(0);
  }
  std::printf("deadline x%.2f, spot price %.2f: %zu starts on %zu traces\n", stretch, price, starts,
              costs["ours"].size());
  std::vector<std::pair<double, std::string>> order;
  for (const auto& [name, values] : costs) order.emplace_back(mean(values), name);
  std::sort(order.begin(), order.end());
  for (const auto& [cost, name] : order)
    std::printf("  %-18s %.3f   missed %5.1f %%\n", name.c_str(), cost, 100 * mean(missed[name]));
  return mean(costs["ours"]);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<Ticks> traces;
  for (const SpotPlace& place : spot_places(argc, argv))
    traces.push_back(ticks_of(place.spans, kTick));
  const double figure = measure(traces, 1.25, 0.25);
  measure(traces, 2, 0.25);
  measure(traces, 1.25, 0.3);
  measure(traces, 2, 0.3);
  print_figure("spot-policy", figure, "of on demand");
  return 0;
}
