#include "shortlist/counted_cases.h"

#include <Eigen/Cholesky>
#include <Eigen/Dense>
#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <utility>

#include "core/hash.h"
#include "shortlist/public_sets.h"

namespace lapcast::shortlist {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int kFolds = 6;

struct Network {
  std::string family;
  double f = 0, a = 0;  // logarithms of multiply-adds and activations
  double y = 0;         // of seconds a sample
  int fold = 0;
};

std::vector<Network> networks_of(const std::string& folder, const std::string& device,
                                 const std::string& torch) {
  using Cells = std::vector<std::string>;
  std::map<std::pair<std::string, std::string>, std::pair<double, double>> counts;
  const std::string file = folder + "/cross-timm/benchmarks.csv.gz";
  for_each_row(file, {"model", "px", "gmacs", "macts"}, [&](const Cells& c) {
    if (cell_number(c[2]) > 0 && cell_number(c[3]) > 0)
      counts.try_emplace({c[0], c[1]}, cell_number(c[2]), cell_number(c[3]));
  });
  std::vector<Network> networks;
  for_each_row(
      file,
      {"model", "px", "samples_per_s", "mode", "device", "torch", "precision", "layout", "dynamo"},
      [&](const Cells& c) {
        const auto count = counts.find({c[0], c[1]});
        if (count == counts.end() || c[3] != "infer" || c[4] != device || c[5] != torch ||
            c[6] != "amp" || c[7] != "nchw" || c[8] != "0" || cell_number(c[2]) <= 0)
          return;
        const auto end = std::find_if_not(c[0].begin(), c[0].end(),
                                          [](unsigned char x) { return std::isalpha(x); });
        Network one{std::string(c[0].begin(), end), std::log(count->second.first),
                    std::log(count->second.second), -std::log(cell_number(c[2]))};
        Fnv1a hash;
        hash.add(one.family);
        one.fold = static_cast<int>((hash.value() >> 20) % kFolds);
        networks.push_back(std::move(one));
      });
  return networks;
}

VectorXd terms_of(const Network& one) {
  VectorXd x(6);
  x << 1, one.f, one.a, one.f * one.f, one.a * one.a, one.f * one.a;
  return x;
}

/// Returns the fit by least absolute errors (iterated weights) of all folds but one.
VectorXd fit_without(const std::vector<Network>& networks, int fold) {
  VectorXd b = VectorXd::Zero(6);
  for (int round = 0; round < 8; ++round) {
    MatrixXd a = 1e-6 * MatrixXd::Identity(6, 6);
    VectorXd g = VectorXd::Zero(6);
    for (const Network& one : networks) {
      if (one.fold == fold) continue;
      const VectorXd x = terms_of(one);
      const double w = round == 0 ? 1 : 1 / std::max(std::abs(one.y - x.dot(b)), .05);
      a += w * x * x.transpose();
      g += w * one.y * x;
    }
    b = a.ldlt().solve(g);
  }
  return b;
}

}  // namespace

std::vector<Judged> judge_counted(const std::string& folder, const std::string& device,
                                  const std::string& torch) {
  const std::vector<Network> networks = networks_of(folder, device, torch);
  std::vector<Judged> judged;
  for (int fold = 0; fold < kFolds; ++fold) {
    const VectorXd b = fit_without(networks, fold);
    std::vector<double> off;
    for (const Network& one : networks)
      if (one.fold != fold) off.push_back(std::abs(terms_of(one).dot(b) - one.y));
    const double margin = quantile_of(off, .95);
    for (const Network& one : networks)
      if (one.fold == fold) {
        const double error = terms_of(one).dot(b) - one.y;
        judged.push_back({one.family, error, error - margin, error + margin});
      }
  }
  return judged;
}

}  // namespace lapcast::shortlist
