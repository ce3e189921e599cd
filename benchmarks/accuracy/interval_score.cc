#include "accuracy/interval_score.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "stats/distributions.h"
#include "stats/summary.h"

namespace lapcast::accuracy {
namespace {

constexpr std::size_t kLeastOthers = 4;
constexpr double kOutside = 40;     // 2 / 0.05
constexpr double kShortest = 1e-3;  // share of the real time below which no bound counts

double interval_score(double low, double high, double real) {
  return high - low + kOutside * (std::max(0.0, low - real) + std::max(0.0, real - high));
}

/// Returns the id without its last part, the number of the run.
std::string configuration_of(const Judgement& judged) {
  return judged.run.substr(0, judged.run.rfind('/'));
}

}  // namespace

IntervalScores interval_scores(const std::vector<Judgement>& judgements, std::string_view seen) {
  std::map<std::string, std::vector<const Judgement*>> configurations;
  for (const Judgement& judged : judgements)
    if (judged.seen == seen && judged.fit == Fit::others && judged.ours && judged.units > 0)
      configurations[configuration_of(judged)].push_back(&judged);
  IntervalScores scores;
  for (const auto& [configuration, runs] : configurations) {
    if (runs.size() <= kLeastOthers) continue;
    for (const Judgement* judged : runs) {
      std::vector<double> others;  // ln(time per unit)
      for (const Judgement* other : runs)
        if (other != judged) others.push_back(std::log(other->real.count() / other->units));
      const double real = std::log(judged->real.count());
      const double middle = median(others) + std::log(judged->units);
      const double half = kZ95 * standard_deviation(others);
      const double low = std::max(judged->ours->low, judged->real * kShortest).count();
      ++scores.runs;
      scores.ours += interval_score(std::log(low), std::log(judged->ours->high.count()), real);
      scores.oracle += interval_score(middle - half, middle + half, real);
    }
  }
  scores.ours /= static_cast<double>(scores.runs);
  scores.oracle /= static_cast<double>(scores.runs);
  return scores;
}

}  // namespace lapcast::accuracy
