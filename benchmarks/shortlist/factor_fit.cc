#include "shortlist/factor_fit.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Dense>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

namespace lapcast::shortlist {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct Observed {
  std::vector<Index> items;
  VectorXd y;
  double weight = 1;
  std::size_t set = 0;
};

/// Returns K^-1 with the constant of the program integrated out.
MatrixXd information(const MatrixXd& k) {
  const MatrixXd inverse = k.inverse();
  const VectorXd u = inverse.rowwise().sum();
  return inverse - u * u.transpose() / (u.sum() + 1 / (kFlatSd * kFlatSd));
}

class Fit {
 public:
  Fit(const std::vector<ProgramRow>& programs, const FitConstants& constants) : h_(constants) {
    std::map<std::string, double> of_task;
    for (const ProgramRow& p : programs)
      if (p.items.size() > 1) of_task[p.set + "/" + p.task] += 1;
    for (const ProgramRow& p : programs) {
      if (p.items.size() < 2) continue;
      Observed o;
      for (const MachineItem& item : p.items) o.items.push_back(place(item));
      o.y = Eigen::Map<const VectorXd>(p.log_seconds.data(), Index(p.log_seconds.size()));
      o.weight = 1 / of_task[class_weight_key(p)];
      const auto set = std::find(sets_.begin(), sets_.end(), class_of(p.set));
      o.set = static_cast<std::size_t>(set - sets_.begin());
      if (o.set == sets_.size()) sets_.push_back(class_of(p.set));
      observed_.push_back(std::move(o));
    }
    const PriorOfItems prior = prior_of(items_, AcceleratorTable::shipped(), h_.prior);
    n_ = Index(items_.size());
    mu0_ = Eigen::Map<const VectorXd>(prior.mean.data(), n_);
    c0_ = Eigen::Map<const RowMatrix>(prior.of_mean.data(), n_, n_);
    s0_ = Eigen::Map<const RowMatrix>(prior.of_programs.data(), n_, n_);
  }

  void run() {
    s_ = s0_;
    for (int round = 0; round < h_.rounds; ++round) step();
  }

  FittedFactors result() const {
    FittedFactors r;
    r.unseen = factors(mu_, cm_ + s_);
    for (std::size_t c = 0; c < sets_.size(); ++c) {
      const MatrixXd j = MatrixXd::Identity(n_, n_) - of_g_[c] * la_[c];
      r.seen[sets_[c]] =
          factors(mu_ + g_[c], j * cm_ * j.transpose() + of_g_[c] + (1 - h_.kappa) * s_);
    }
    const RowMatrix cm = cm_, s = s_;
    r.of_mean.assign(cm.data(), cm.data() + cm.size());
    r.of_programs.assign(s.data(), s.data() + s.size());
    return r;
  }

 private:
  static std::string class_weight_key(const ProgramRow& p) { return p.set + "/" + p.task; }

  Index place(const MachineItem& item) {
    const auto found = Index(std::find(items_.begin(), items_.end(), item) - items_.begin());
    if (found == Index(items_.size())) items_.push_back(item);
    return found;
  }

  MachineFactors factors(const VectorXd& mean, const MatrixXd& covariance) const {
    MachineFactors f{items_, {}};
    const RowMatrix c = (covariance + covariance.transpose()) / 2;
    f.of_items.mean.assign(mean.data(), mean.data() + mean.size());
    f.of_items.covariance.assign(c.data(), c.data() + c.size());
    return f;
  }

  void step() {
    const std::size_t classes = sets_.size();
    la_.assign(classes, MatrixXd::Zero(n_, n_));
    std::vector<VectorXd> lb(classes, VectorXd::Zero(n_));
    std::vector<MatrixXd> q;
    std::map<std::vector<Index>, MatrixXd> known;
    for (const Observed& o : observed_) {
      auto [at, fresh] = known.try_emplace(o.items);
      const Index m = Index(o.items.size());
      if (fresh)
        at->second = information((1 - h_.kappa) * s_(o.items, o.items) +
                                 h_.noise * h_.noise * MatrixXd::Identity(m, m));
      q.push_back(at->second);
      la_[o.set](o.items, o.items) += o.weight * q.back();
      lb[o.set](o.items) += o.weight * (q.back() * o.y);
    }
    const MatrixXd ks = h_.kappa * s_ + 1e-9 * MatrixXd::Identity(n_, n_);
    MatrixXd a = c0_.inverse();
    VectorXd b = a * mu0_;
    of_g_.clear();
    for (std::size_t c = 0; c < classes; ++c) {
      of_g_.push_back((MatrixXd::Identity(n_, n_) + ks * la_[c]).partialPivLu().solve(ks));
      a += la_[c] - la_[c] * of_g_[c] * la_[c];
      b += lb[c] - la_[c] * (of_g_[c] * lb[c]);
    }
    cm_ = a.inverse();
    cm_ = (cm_ + cm_.transpose().eval()) / 2;
    mu_ = cm_ * b;
    MatrixXd sum = h_.freedom * s0_;
    double count = h_.freedom + double(classes);
    g_.clear();
    for (std::size_t c = 0; c < classes; ++c) {
      g_.push_back(of_g_[c] * (lb[c] - la_[c] * mu_));
      sum += (g_[c] * g_[c].transpose() + of_g_[c]) / h_.kappa;
    }
    const MatrixXd own = (1 - h_.kappa) * s_;
    std::map<std::vector<Index>, std::pair<MatrixXd, MatrixXd>> gains;
    for (std::size_t i = 0; i < observed_.size(); ++i) {
      const Observed& o = observed_[i];
      auto [at, fresh] = gains.try_emplace(o.items);
      if (fresh) {
        at->second.first = own(Eigen::all, o.items) * q[i];
        at->second.second = own - at->second.first * own(o.items, Eigen::all);
      }
      const VectorXd e = at->second.first * (o.y - mu_(o.items) - g_[o.set](o.items));
      sum += o.weight * (e * e.transpose() + at->second.second) / (1 - h_.kappa);
      count += o.weight;
    }
    s_ = sum / count;
  }

  const FitConstants& h_;
  std::vector<MachineItem> items_;
  std::vector<std::string> sets_;
  std::vector<Observed> observed_;
  Index n_ = 0;
  VectorXd mu0_, mu_;
  MatrixXd c0_, s0_, s_, cm_;
  std::vector<MatrixXd> la_, of_g_;
  std::vector<VectorXd> g_;
};

}  // namespace

std::string class_of(const std::string& set) {
  return set.starts_with("lambda") ? "lambda" : set;
}

FittedFactors fit_factors(const std::vector<ProgramRow>& programs, const FitConstants& constants) {
  Fit fit(programs, constants);
  fit.run();
  return fit.result();
}

std::string factors_csv(const FittedFactors& fitted) {
  const auto n = Index(fitted.unseen.items.size());
  const MatrixXd c = Eigen::Map<const RowMatrix>(fitted.unseen.of_items.covariance.data(), n, n);
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(c);
  const MatrixXd l = eigen.eigenvectors().rightCols(4).rowwise().reverse() *
                     eigen.eigenvalues().tail(4).reverse().cwiseMax(0).cwiseSqrt().asDiagonal();
  std::vector<std::string> lines;
  for (Index i = 0; i < n; ++i) {
    const double psi = std::sqrt(std::max(0.0, c(i, i) - l.row(i).squaredNorm()));
    const MachineItem& item = fitted.unseen.items[std::size_t(i)];
    lines.push_back(fmt::format("{},{},{:.4f},{:.4f},{:.4f},{:.4f},{:.4f},{:.4f}\n",
                                item.accelerator, name_of(item.precision),
                                fitted.unseen.of_items.mean[std::size_t(i)], l(i, 0), l(i, 1),
                                l(i, 2), l(i, 3), psi));
  }
  std::sort(lines.begin(), lines.end());
  std::string text = "gpu,cls,mu,l1,l2,l3,l4,psi\n";
  for (const std::string& line : lines) text += line;
  return text;
}

}  // namespace lapcast::shortlist
