#include "scaling/run_cases.h"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "shortlist/csv_file.h"
#include "stats/distributions.h"

namespace lapcast::scaling {
namespace {

using shortlist::cell_number;
using shortlist::Judged;

/// Holds two runs of one submitter, benchmark, accelerator and round.
struct RunPair {
  std::string benchmark;
  double doublings = 0;   // of the accelerators, from the fewest
  double from_eight = 0;  // doublings from 8 to the fewest
  double loss = 0;        // ln of (the time on more / on the fewest x ratio)
};

Eigen::Vector3d terms(const RunPair& pair) {
  return {pair.doublings, pair.doublings * pair.doublings / 10,
          std::max(pair.from_eight, 0.0) * pair.doublings / 10};
}

std::vector<RunPair> read_pairs(const std::string& folder) {
  std::map<std::vector<std::string>, std::map<double, std::vector<double>>> families;
  shortlist::for_each_row(
      folder + "/scaling-mlperf/runs.csv.gz",
      {"round", "submitter", "benchmark", "accel", "nodes", "accel_per_node", "run_s"},
      [&](const std::vector<std::string>& c) {
        const std::string benchmark = c[2] == "resnet50" ? "resnet" : c[2];
        if (const double seconds = cell_number(c[6]); seconds > 0)
          families[{c[0], c[1], benchmark, c[3]}][cell_number(c[4]) * cell_number(c[5])].push_back(
              std::log(seconds));
      });
  std::vector<RunPair> pairs;
  for (const auto& [key, scales] : families) {
    const auto& [fewest, first] = *scales.begin();
    for (const auto& [count, runs] : scales)
      if (count > fewest)
        pairs.push_back(
            {key[2], std::log2(count / fewest), std::log2(fewest / 8),
             shortlist::median_of(runs) - shortlist::median_of(first) + std::log(count / fewest)});
  }
  return pairs;
}

/// Holds what more accelerators lose, fitted so that far rows count less.
struct Loss {
  Eigen::Vector3d slopes = Eigen::Vector3d::Zero();
  double spread = 0;  // standard deviation for doublings^0.7 = 1
};

Loss fit_loss(const std::vector<RunPair>& pairs) {
  Loss loss;
  std::vector<double> weight(pairs.size(), 1);
  for (int round = 0; round < 25; ++round) {
    Eigen::Matrix3d normal = Eigen::Matrix3d::Identity() / 2;
    Eigen::Vector3d right = Eigen::Vector3d::Zero();
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const Eigen::Vector3d x = terms(pairs[i]);
      normal += weight[i] * x * x.transpose();
      right += weight[i] * x * pairs[i].loss;
    }
    loss.slopes = normal.ldlt().solve(right);
    for (std::size_t i = 0; i < pairs.size(); ++i)
      weight[i] = .05 / std::max(std::abs(pairs[i].loss - terms(pairs[i]).dot(loss.slopes)), .05);
  }
  for (const RunPair& pair : pairs) {
    const double off = (pair.loss - terms(pair).dot(loss.slopes)) / std::pow(pair.doublings, .7);
    loss.spread += off * off / double(pairs.size());
  }
  loss.spread = std::sqrt(loss.spread);
  return loss;
}

}  // namespace

void judge_runs(const std::string& folder, shortlist::Goals& goals) {
  goals.heading("MLPerf, whole runs on more accelerators, the benchmark unknown");
  const std::vector<RunPair> pairs = read_pairs(folder);
  std::set<std::string> benchmarks;
  for (const RunPair& pair : pairs) benchmarks.insert(pair.benchmark);
  std::vector<Judged> bands[3];
  for (const std::string& benchmark : benchmarks) {
    std::vector<RunPair> others;
    for (const RunPair& pair : pairs)
      if (pair.benchmark != benchmark) others.push_back(pair);
    const Loss loss = fit_loss(others);
    for (const RunPair& pair : pairs) {
      if (pair.benchmark != benchmark) continue;
      const double error = terms(pair).dot(loss.slopes) - pair.loss;
      const double reach = kZ95 * loss.spread * std::pow(pair.doublings, .7);
      bands[pair.doublings <= 3   ? 0
            : pair.doublings <= 6 ? 1
                                  : 2]
          .push_back({benchmark, error, error - reach, error + reach});
    }
  }
  constexpr const char* kNames[] = {"up to 8 times", "8 to 64 times", "more than 64 times"};
  constexpr std::pair<double, double> kGoals[] = {{16, 45}, {30, 68}, {40, 72}};
  for (int i = 0; i < 3; ++i) {
    const shortlist::Errors errors = errors_of(bands[i]);
    goals.show(kNames[i], errors);
    goals.error_goal(errors, kGoals[i].first, kGoals[i].second);
    goals.coverage_goal(errors, 90, 100);
  }
}

}  // namespace lapcast::scaling
