#include "rank/probe_value.h"

#include <Eigen/Cholesky>
#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

namespace lapcast {
namespace {

constexpr double kMostLogRegret = 3;
constexpr double kSameRegret = 1e-3;

std::vector<double> means_of(const ValueCases& cases) {
  std::vector<double> means(cases.choices, 0.0);
  for (std::size_t s = 0; s < cases.cases(); ++s)
    for (std::size_t i = 0; i < cases.choices; ++i) means[i] += cases.at(s, i);
  for (double& mean : means) mean /= static_cast<double>(cases.cases());
  return means;
}

std::vector<double> least_of(const ValueCases& cases) {
  std::vector<double> least;
  for (std::size_t s = 0; s < cases.cases(); ++s) {
    const double* row = &cases.log_values[s * cases.choices];
    least.push_back(*std::min_element(row, row + cases.choices));
  }
  return least;
}

double regret_in(double log_value, double log_least) {
  return std::expm1(std::min(log_value - log_least, kMostLogRegret));
}

/// Returns the logarithm of the mean value of each choice as for a lognormal one: mean + variance
/// / 2.
std::vector<double> log_expected(const ValueCases& cases) {
  std::vector<double> means = means_of(cases), result(cases.choices, 0.0);
  for (std::size_t s = 0; s < cases.cases(); ++s)
    for (std::size_t i = 0; i < cases.choices; ++i) {
      const double off = cases.at(s, i) - means[i];
      result[i] += off * off;
    }
  const double count = std::max<double>(1, static_cast<double>(cases.cases()) - 1);
  for (std::size_t i = 0; i < cases.choices; ++i) result[i] = means[i] + result[i] / count / 2;
  return result;
}

using CaseMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::Index rows_of(const ValueCases& cases) {
  return static_cast<Eigen::Index>(cases.cases());
}

/// Returns the regret that is left when all choices are expected by regression on what is seen in
/// each case, with `noise` more on it.
double regret_by(const ValueCases& cases, CaseMatrix seen, double noise) {
  const auto count = rows_of(cases);
  CaseMatrix off = Eigen::Map<const CaseMatrix>(cases.log_values.data(), count,
                                                static_cast<Eigen::Index>(cases.choices));
  const Eigen::RowVectorXd means = off.colwise().mean(), seen_means = seen.colwise().mean();
  off.rowwise() -= means;
  seen.rowwise() -= seen_means;
  const double total = static_cast<double>(count);
  CaseMatrix own = seen.transpose() * seen / total;
  own.diagonal().array() += noise * noise + 1e-12;
  const CaseMatrix cross = seen.transpose() * off / total;
  const CaseMatrix gain = own.ldlt().solve(cross);
  const Eigen::RowVectorXd left =
      (off.colwise().squaredNorm() / total - cross.cwiseProduct(gain).colwise().sum())
          .cwiseMax(0.0);
  CaseMatrix expected = seen * gain;
  expected.rowwise() += means + left / 2;
  const std::vector<double> least = least_of(cases);
  double sum = 0;
  for (Eigen::Index s = 0; s < count; ++s) {
    Eigen::Index pick = 0;
    expected.row(s).minCoeff(&pick);
    const auto which = static_cast<std::size_t>(s);
    sum += regret_in(cases.at(which, static_cast<std::size_t>(pick)), least[which]);
  }
  return count == 0 ? 0 : sum / total;
}

}  // namespace

std::size_t best_pick(const ValueCases& cases) {
  const std::vector<double> expected = log_expected(cases);
  return static_cast<std::size_t>(std::min_element(expected.begin(), expected.end()) -
                                  expected.begin());
}

double mean_regret(const ValueCases& cases, std::size_t pick) {
  const std::vector<double> least = least_of(cases);
  double sum = 0;
  for (std::size_t s = 0; s < least.size(); ++s) sum += regret_in(cases.at(s, pick), least[s]);
  return least.empty() ? 0 : sum / static_cast<double>(least.size());
}

std::vector<double> chances_to_win(const ValueCases& cases) {
  std::vector<double> chances(cases.choices, 0.0);
  for (std::size_t s = 0; s < cases.cases(); ++s) {
    const double* row = &cases.log_values[s * cases.choices];
    const auto best = std::min_element(row, row + cases.choices) - row;
    chances[static_cast<std::size_t>(best)] += 1.0 / static_cast<double>(cases.cases());
  }
  return chances;
}

double regret_after(const ValueCases& cases, std::span<const std::size_t> probed, double noise) {
  const auto n = static_cast<Eigen::Index>(cases.choices);
  const std::vector<Eigen::Index> known(probed.begin(), probed.end());
  const Eigen::Map<const CaseMatrix> all(cases.log_values.data(), rows_of(cases), n);
  return regret_by(cases, all(Eigen::all, known), noise);
}

double regret_given(const ValueCases& cases, std::span<const double> observed) {
  return regret_by(cases, Eigen::Map<const CaseMatrix>(observed.data(), rows_of(cases), 1), 0);
}

std::optional<std::size_t> next_probe(const ValueCases& cases, std::span<const bool> may_be_probed,
                                      bool is_first, double noise) {
  const std::vector<double> means = means_of(cases), chances = chances_to_win(cases);
  std::optional<std::size_t> chosen;
  double best = 0;
  for (std::size_t i = 0; i < cases.choices; ++i) {
    if (!may_be_probed[i]) continue;
    const double worth = is_first ? -regret_after(cases, {&i, 1}, noise) : chances[i];
    const bool is_better = !chosen || worth > best + kSameRegret ||
                           (worth > best - kSameRegret && means[i] < means[*chosen]);
    if (!is_better) continue;
    chosen = i;
    best = worth;
  }
  return chosen;
}

}  // namespace lapcast
