#include "extrapolate/cpu_prior.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "extrapolate/machine_factors.h"

namespace lapcast {
namespace {

constexpr std::size_t kCpuFeatures = 4;

/// Is a slope of ln(seconds), and how it differs between programs.
struct Slope {
  double mean = 0;
  double sd = 0;
};
// Below one CPU time is shared out. More CPUs and wider arithmetic help the share of the work that
// uses them, and programs differ: Amdahl's law with any share.
constexpr std::array<Slope, kCpuFeatures> kSlopes{
    {{-1, 0.1}, {-0.5, 0.35}, {-0.8, 0.25}, {-0.5, 0.35}}};
constexpr double kMachineSd = 0.15;  // of a program on one machine about the slopes
constexpr double kUnknownSd = 0.25;  // more for each of CPUs, clock and vectors not known
constexpr double kUsualThreads = 4, kUsualClock = 3, kUsualBits = 512;

/// Returns the bits that an instruction computes: those of the vector register, twice where it
/// multiplies and adds at once; 0 = not known.
double computed_bits(std::string_view isa) {
  constexpr std::pair<std::string_view, double> kBits[] = {
      {"SSE2", 128}, {"SSE4.2", 128}, {"AVX", 256}, {"AVX2", 512}, {"AVX-512", 1024},
      {"AMX", 1024}, {"NEON", 256},   {"SVE", 512}, {"SVE2", 512}, {"SME", 1024}};
  const auto found = std::ranges::find(kBits, isa, &std::pair<std::string_view, double>::first);
  return found == std::end(kBits) ? 0 : found->second;
}

struct CpuFeatures {
  std::array<double, kCpuFeatures> x{};
  double own_variance = kMachineSd * kMachineSd;
};

CpuFeatures features_of(const CpuMachine& machine) {
  CpuFeatures features;
  const auto known_or = [&](double value, double usual) {
    if (value > 0) return value;
    features.own_variance += kUnknownSd * kUnknownSd;
    return usual;
  };
  double cpus = known_or(machine.threads, kUsualThreads);
  if (machine.quota) cpus = std::min(cpus, *machine.quota);
  features.x = {std::log(std::min(cpus, 1.0)), std::log(std::max(cpus, 1.0)),
                std::log(known_or(machine.clock_ghz, kUsualClock) / kUsualClock),
                std::log(known_or(computed_bits(machine.isa), kUsualBits) / kUsualBits)};
  return features;
}

}  // namespace

Gaussian program_on_cpus(std::span<const CpuMachine> machines) {
  std::vector<CpuFeatures> all;
  for (const CpuMachine& machine : machines) all.push_back(features_of(machine));
  const std::size_t n = all.size();
  Gaussian program{std::vector<double>(n), std::vector<double>(n * n)};
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < kCpuFeatures; ++k) program.mean[i] += kSlopes[k].mean * all[i].x[k];
    for (std::size_t j = 0; j < n; ++j) {
      double& sum = program.cov(i, j);
      sum = kFlatSd * kFlatSd + (i == j ? all[i].own_variance : 0);
      for (std::size_t k = 0; k < kCpuFeatures; ++k)
        sum += kSlopes[k].sd * kSlopes[k].sd * all[i].x[k] * all[j].x[k];
    }
  }
  return program;
}

}  // namespace lapcast
