#include "extrapolate/machine_factors.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Dense>

#include <algorithm>
#include <cmath>

#include "core/lower_case.h"
#include "core/units.h"
#include "price/csv_rows.h"

namespace lapcast {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Eigen::Index;
using Eigen::Map;
using Eigen::VectorXd;

constexpr int kLoadings = 4;

std::array<double, kFeatures> features_of(const AcceleratorSpec& row, PrecisionClass precision) {
  const double flops = precision == PrecisionClass::fp32   ? row.fp32_tflops
                       : precision == PrecisionClass::tf32 ? row.tf32_tflops
                                                           : row.half_tflops;
  return {std::log(flops / 15.7), std::log(row.fp32_tflops / 15.7),
          std::log(row.bandwidth_gb_s / 900), (row.year - 2017) / 5.0,
          std::log(row.memory_gib / 16)};
}

double factor_in(const CsvRow& row, std::size_t column) {
  const auto value = number_in(row.fields[column]);
  if (!value)
    throw Error(ExitCode::bad_input, fmt::format("machine_factors.csv:{}: '{}' is not a number",
                                                 row.line, row.fields[column]));
  return *value;
}

/// Returns a covariance between the items of `a` and those of `b` as the prior has it.
template <class Entry>
Matrix covariance_of(std::size_t n, const Entry& entry) {
  Matrix m(static_cast<Index>(n), static_cast<Index>(n));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      m(static_cast<Index>(i), static_cast<Index>(j)) = entry(i, j);
  return m;
}

}  // namespace

std::string_view name_of(PrecisionClass precision) {
  switch (precision) {
    case PrecisionClass::fp32:
      return "fp32";
    case PrecisionClass::tf32:
      return "tf32";
    case PrecisionClass::half:
      return "amp";
  }
  return "";
}

std::optional<PrecisionClass> precision_named(std::string_view name) {
  const std::string plain = letters_and_digits(name.substr(0, 40));
  if (plain == "fp32" || plain == "float32") return PrecisionClass::fp32;
  if (plain == "tf32") return PrecisionClass::tf32;
  for (const std::string_view half :
       {"amp", "fp16", "bf16", "float16", "bfloat16", "half", "mixed"})
    if (plain == half) return PrecisionClass::half;
  return std::nullopt;
}

MachineItem item_of(const AcceleratorSpec& accelerator, PrecisionClass precision) {
  constexpr std::string_view kWithTf32[] = {"ga100",  "ga10x",     "ada",
                                            "hopper", "blackwell", "blackwell_c"};
  if (precision == PrecisionClass::tf32 &&
      std::ranges::find(kWithTf32, accelerator.family) == std::end(kWithTf32))
    precision = PrecisionClass::fp32;
  return {accelerator.name, precision};
}

std::optional<std::size_t> MachineFactors::place_of(const MachineItem& item) const {
  const auto found = std::ranges::find(items, item);
  if (found == items.end()) return std::nullopt;
  return static_cast<std::size_t>(found - items.begin());
}

MachineFactors read_machine_factors(std::string_view csv) {
  MachineFactors factors;
  std::vector<std::array<double, kLoadings>> loadings;
  std::vector<double> own;
  for_each_csv_row(csv, [&](const CsvRow& row) {
    if (row.line == 1) return;
    const auto precision =
        row.fields.size() == 4 + kLoadings ? precision_named(row.fields[1]) : std::nullopt;
    if (!row.damage.empty() || !precision)
      throw Error(ExitCode::bad_input,
                  fmt::format("machine_factors.csv:{}: the row has no factors", row.line));
    factors.items.push_back({row.fields[0], *precision});
    factors.of_items.mean.push_back(factor_in(row, 2));
    auto& loading = loadings.emplace_back();
    for (std::size_t k = 0; k < kLoadings; ++k) loading[k] = factor_in(row, 3 + k);
    own.push_back(factor_in(row, 3 + kLoadings));
  });
  const std::size_t n = factors.items.size();
  factors.of_items.covariance.resize(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      double sum = i == j ? own[i] * own[i] : 0;
      for (std::size_t k = 0; k < kLoadings; ++k) sum += loadings[i][k] * loadings[j][k];
      factors.of_items.cov(i, j) = sum;
    }
  return factors;
}

PriorOfItems prior_of(std::span<const MachineItem> items, const AcceleratorTable& table,
                      const FactorPrior& prior) {
  std::vector<std::array<double, kFeatures>> x;
  for (const MachineItem& item : items) {
    const AcceleratorSpec* row = table.named(item.accelerator);
    if (row == nullptr)
      throw Error(
          ExitCode::bad_input,
          fmt::format("machine_factors.csv: accelerators.csv lacks '{}'", item.accelerator));
    x.push_back(features_of(*row, item.precision));
  }
  PriorOfItems result;
  const auto squared = [](double value) { return value * value; };
  for (std::size_t i = 0; i < items.size(); ++i) {
    double mean = 0;
    for (std::size_t k = 0; k < kFeatures; ++k) mean += prior.mean_slope[k] * x[i][k];
    result.mean.push_back(mean);
    for (std::size_t j = 0; j < items.size(); ++j) {
      const double same = i == j ? 1 : 0;
      const double gpu = items[i].accelerator == items[j].accelerator ? 1 : 0;
      const bool half = (items[i].precision == PrecisionClass::half) ==
                        (items[j].precision == PrecisionClass::half);
      double of_mean =
          squared(prior.gpu_sd) * (.6 * gpu + .4 * same) + (half ? squared(prior.precision_sd) : 0);
      double of_program = squared(prior.program_gpu_sd) * (.5 * gpu + .5 * same) +
                          (half ? squared(prior.program_precision_sd) : 0);
      for (std::size_t k = 0; k < kFeatures; ++k) {
        of_mean += squared(prior.slope_sd[k]) * x[i][k] * x[j][k];
        of_program += squared(prior.program_sd[k]) * x[i][k] * x[j][k];
      }
      result.of_mean.push_back(of_mean);
      result.of_programs.push_back(of_program);
    }
  }
  return result;
}

MachineFactors with_items(const MachineFactors& known, std::span<const MachineItem> wanted,
                          const AcceleratorTable& table, const FactorPrior& prior) {
  MachineFactors all = known;
  for (const MachineItem& item : wanted)
    if (!all.place_of(item)) all.items.push_back(item);
  const auto old = static_cast<Index>(known.items.size());
  const auto n = static_cast<Index>(all.items.size());
  if (n == old) return all;
  const PriorOfItems by_spec = prior_of(all.items, table, prior);
  const auto count = static_cast<std::size_t>(n);
  const Matrix k = covariance_of(count, [&](std::size_t i, std::size_t j) {
    return by_spec.of_mean[i * count + j] + by_spec.of_programs[i * count + j];
  });
  const Map<const VectorXd> mean(by_spec.mean.data(), n);
  const Map<const VectorXd> known_mean(known.of_items.mean.data(), old);
  const Map<const Matrix> known_c(known.of_items.covariance.data(), old, old);
  const Index fresh = n - old;
  // New items, given the old ones: K_no K_oo^-1, with what is known of the old ones pushed through.
  const Matrix gain =
      k.topLeftCorner(old, old).ldlt().solve(k.topRightCorner(old, fresh)).transpose();
  const Matrix cross = gain * known_c;
  const Matrix own = k.bottomRightCorner(fresh, fresh) - gain * k.topRightCorner(old, fresh) +
                     cross * gain.transpose();
  const VectorXd fresh_mean = mean.tail(fresh) + gain * (known_mean - mean.head(old));
  Matrix c(n, n);
  c << known_c, cross.transpose(), cross, own;
  all.of_items.mean.insert(all.of_items.mean.end(), fresh_mean.data(), fresh_mean.data() + fresh);
  all.of_items.covariance.assign(c.data(), c.data() + c.size());
  return all;
}

Gaussian program_on(const MachineFactors& factors, std::span<const MachineItem> items,
                    double inflation) {
  std::vector<std::size_t> places;
  for (const MachineItem& item : items) {
    const auto place = factors.place_of(item);
    if (!place)
      throw Error(ExitCode::bad_input,
                  fmt::format("machine_factors.csv lacks '{}'", item.accelerator));
    places.push_back(*place);
  }
  Gaussian program = selected(factors.of_items, places);
  for (double& value : program.covariance)
    value = value * inflation * inflation + kFlatSd * kFlatSd;
  return program;
}

}  // namespace lapcast
