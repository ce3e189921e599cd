#include "energy/power_table.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "energy/interval_arithmetic.h"

namespace lapcast {
namespace {

constexpr std::string_view kNvidia = "NVIDIA data sheet";
constexpr std::string_view kAmd = "AMD data sheet";
constexpr std::string_view kIntel = "Intel data sheet";

// Rated power of one accelerator in W. mlco2's table has the two V100 exchanged and a GTX 750 of
// 250 W; the data sheets say 300 W for SXM2, 250 W for PCIe, and 55 W.
constexpr RatedPower kAccelerators[] = {{"p100", 250, kNvidia, 2016},
                                        {"p100 sxm2", 300, kNvidia, 2016},
                                        {"p40", 250, kNvidia, 2016},
                                        {"p4", 75, kNvidia, 2016},
                                        {"k80", 300, kNvidia, 2014},
                                        {"m60", 300, kNvidia, 2015},
                                        {"m40", 250, kNvidia, 2015},
                                        {"v100", 300, kNvidia, 2018},
                                        {"v100 sxm2", 300, kNvidia, 2018},
                                        {"v100 pcie", 250, kNvidia, 2018},
                                        {"t4", 70, kNvidia, 2018},
                                        {"a2", 60, kNvidia, 2021},
                                        {"a10", 150, kNvidia, 2021},
                                        {"a10g", 300, kNvidia, 2021},
                                        {"a16", 250, kNvidia, 2021},
                                        {"a30", 165, kNvidia, 2021},
                                        {"a40", 300, kNvidia, 2020},
                                        {"a100", 400, kNvidia, 2020},
                                        {"a100 sxm4", 400, kNvidia, 2020},
                                        {"a100 pcie 40gb", 250, kNvidia, 2020},
                                        {"a100 pcie", 300, kNvidia, 2021},
                                        {"l4", 72, kNvidia, 2023},
                                        {"l40", 300, kNvidia, 2022},
                                        {"l40s", 350, kNvidia, 2023},
                                        {"h100", 700, kNvidia, 2022},
                                        {"h100 hbm3", 700, kNvidia, 2022},
                                        {"h100 pcie", 350, kNvidia, 2022},
                                        {"h100 nvl", 400, kNvidia, 2023},
                                        {"h200", 700, kNvidia, 2024},
                                        {"h200 nvl", 600, kNvidia, 2024},
                                        {"b200", 1000, kNvidia, 2024},
                                        {"gh200", 700, kNvidia, 2023},
                                        {"1080 ti", 250, kNvidia, 2017},
                                        {"2080 ti", 250, kNvidia, 2018},
                                        {"titan rtx", 280, kNvidia, 2018},
                                        {"3080", 320, kNvidia, 2020},
                                        {"3090", 350, kNvidia, 2020},
                                        {"4090", 450, kNvidia, 2022},
                                        {"rtx 6000", 260, kNvidia, 2018},
                                        {"rtx 8000", 260, kNvidia, 2018},
                                        {"rtx 6000 ada", 300, kNvidia, 2022},
                                        {"rtx a4000", 140, kNvidia, 2021},
                                        {"rtx a5000", 230, kNvidia, 2021},
                                        {"rtx a6000", 300, kNvidia, 2020},
                                        {"a6000", 300, kNvidia, 2020},
                                        {"mi100", 300, kAmd, 2020},
                                        {"mi210", 300, kAmd, 2022},
                                        {"mi250", 560, kAmd, 2021},
                                        {"mi250x", 560, kAmd, 2021},
                                        {"mi300x", 750, kAmd, 2023}};

// Rated power of one socket in W.
constexpr RatedPower kCpus[] = {
    {"xeon 8480", 350, kIntel, 2023},    {"xeon 8481c", 350, kIntel, 2023},
    {"xeon 8488c", 350, kIntel, 2023},   {"xeon 8462y", 300, kIntel, 2023},
    {"xeon 8375c", 300, kIntel, 2021},   {"xeon 8370c", 270, kIntel, 2021},
    {"xeon 8259cl", 210, kIntel, 2019},  {"xeon 8175m", 240, kIntel, 2017},
    {"xeon 8280", 205, kIntel, 2019},    {"xeon 8168", 205, kIntel, 2017},
    {"xeon 8171m", 165, kIntel, 2017},   {"xeon 6148", 150, kIntel, 2017},
    {"xeon 5220", 125, kIntel, 2019},    {"xeon e5 2699", 145, kIntel, 2014},
    {"xeon e5 2686", 145, kIntel, 2016}, {"xeon e5 2690", 135, kIntel, 2016},
    {"epyc 7763", 280, kAmd, 2021},      {"epyc 7742", 225, kAmd, 2019},
    {"epyc 7702", 200, kAmd, 2019},      {"epyc 7543", 225, kAmd, 2021},
    {"epyc 7282", 120, kAmd, 2019},      {"epyc 7r32", 280, kAmd, 2020},
    {"epyc 7r13", 225, kAmd, 2021},      {"epyc 7b12", 240, kAmd, 2020},
    {"epyc 7b13", 240, kAmd, 2021},      {"epyc 7v12", 240, kAmd, 2020},
    {"epyc 7v13", 240, kAmd, 2021},      {"epyc 9654", 360, kAmd, 2022},
    {"epyc 9r14", 360, kAmd, 2023}};

// Is the power in W of a core of a server's CPU that is in no table; the rows above have 3.3 to 11
// W per core.
constexpr Interval<double> kWattsPerCore{1.5, 5, 14};
// Is the power of a socket while it trains, as a share of its rated power: from a quarter, as idle
// servers need (cloud-carbon-footprint 2026: 0.1 to 0.4 of the most), to a tenth above it.
constexpr Interval<double> kShareOfCpu{0.25, 0.65, 1.1};
constexpr Interval<double> kShareOfAccelerator{0.14, 0.67, 1.02};
constexpr Interval<double> kRestOfMachine{1.05, 1.25, 1.7};

/// Returns the words of a name in lower case; "A100-SXM4-80GB" has three.
std::set<std::string> name_words(std::string_view name) {
  std::set<std::string> words;
  std::string word;
  for (const char c : std::string(name.substr(0, 200)) + " ") {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0) {
      word += static_cast<char>(std::tolower(byte));
    } else if (!word.empty()) {
      words.insert(std::move(word));
      word.clear();
    }
  }
  return words;
}

std::optional<RatedPower> best_row(std::span<const RatedPower> table, std::string_view model) {
  const std::set<std::string> words = name_words(model);
  const RatedPower* best = nullptr;
  std::size_t most = 0;
  for (const RatedPower& row : table) {
    const std::set<std::string> wanted = name_words(row.name);
    if (!std::ranges::includes(words, wanted) || wanted.size() <= most) continue;
    best = &row;
    most = wanted.size();
  }
  if (best == nullptr) return std::nullopt;
  return *best;
}

/// Returns the share of a machine's logical CPUs that a machine type may use.
double share_of_cpus(const MachineDescription& machine, const MachineType& type) {
  const int threads = std::max(machine.threads, 1);
  std::size_t used = type.cpus.empty() ? machine.allowed_cpus.size() : type.cpus.size();
  if (used == 0) used = static_cast<std::size_t>(threads);
  double cpus = static_cast<double>(used);
  for (const auto& limit : {type.cpu_quota, machine.cpu_limit})
    if (limit && *limit > 0) cpus = std::min(cpus, *limit);
  return std::min(1.0, cpus / threads);
}

}  // namespace

std::optional<RatedPower> accelerator_power(std::string_view model) {
  return best_row(kAccelerators, model);
}

std::optional<RatedPower> cpu_power(std::string_view model) {
  return best_row(kCpus, model);
}

Interval<double> accelerator_in_use(double rated_watts) {
  return scaled(kShareOfAccelerator, rated_watts);
}

std::optional<Interval<double>> accelerators_in_use(std::string_view model, int count) {
  const auto rated = accelerator_power(model);
  if (!rated || count <= 0) return std::nullopt;
  return scaled(accelerator_in_use(rated->watts), count);
}

std::optional<Interval<double>> cpus_in_use(const MachineDescription& machine,
                                            const MachineType& type) {
  const double share = share_of_cpus(machine, type);
  if (const auto rated = cpu_power(machine.cpu_model))
    return scaled(kShareOfCpu, rated->watts * std::max(machine.sockets, 1) * share);
  if (machine.cores <= 0) return std::nullopt;
  return scaled(kWattsPerCore, machine.cores * share);
}

int accelerators_of(const MachineDescription& machine, const MachineType& type) {
  const auto count = static_cast<int>(machine.accelerators.size());
  const auto visible = type.environment.find("CUDA_VISIBLE_DEVICES");
  if (visible == type.environment.end()) return count;
  if (visible->second.empty() || visible->second.starts_with("-")) return 0;
  const auto named = 1 + std::ranges::count(visible->second, ',');
  return std::min(count, static_cast<int>(named));
}

Interval<double> with_rest_of_machine(const Interval<double>& parts) {
  return product(parts, kRestOfMachine);
}

std::optional<Interval<double>> machine_in_use(const MachineDescription& machine,
                                               const MachineType& type) {
  auto parts = cpus_in_use(machine, type);
  const int count = accelerators_of(machine, type);
  if (!parts && count == 0) return std::nullopt;
  if (!parts) parts = Interval<double>{};
  if (count > 0) {
    const auto accelerators = accelerators_in_use(machine.accelerators.front().model, count);
    if (!accelerators) return std::nullopt;
    parts = sum(*parts, *accelerators);
  }
  return with_rest_of_machine(*parts);
}

Interval<double> pue_of(std::string_view provider) {
  const auto about = [](double pue) {
    return Interval<double>{std::max(1.0, pue / 1.05), pue, pue * 1.05};
  };
  if (provider == "gcp") return about(1.09);    // Google, environmental report 2025
  if (provider == "aws") return about(1.15);    // Amazon, sustainability report of 2024
  if (provider == "azure") return about(1.16);  // Microsoft, data centre figures of 2024
  return {1, 1.3, 1.6};
}

}  // namespace lapcast
