// Measures how well the memory of batch sizes that were not measured is forecast, on public peaks
// of GPU memory: the folder of public sets is an argument, and its folders memory and megatron are
// read. From the two smallest batches of a training its largest is forecast, by the meter of torch
// and by the driver's; rows that ran out of memory, or did not, are forecast from the same two.
// Constants are chosen on one half of the trainings, by a hash of their names, and judged on the
// other.
// docs/benchmarks.md has the goals. The last line counts the goals that are met.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "extrapolate/memory_fit.h"
#include "found_data.h"
#include "memory_megatron.h"
#include "shortlist/csv_file.h"
#include "shortlist/judged.h"

namespace {

using namespace lapcast;
using namespace lapcast::shortlist;

constexpr double kGib = 1073741824.0;
constexpr double kHidden[] = {0.02, 0.04, 0.06, 0.08, 0.1, 0.12, 0.15, 0.2, 0.3, 0.4};
constexpr DriverLimits kLimits[] = {{1.0, 2},  {1.0, .94},  {1.0, .92},  {1.0, .9},
                                    {1.03, 2}, {1.03, .94}, {1.03, .92}, {1.03, .9},
                                    {1.06, 2}, {1.06, .94}, {1.06, .92}, {1.06, .9}};

/// Holds what is known of one training: its peaks by meter and batch, and where it ran out.
struct Training {
  std::string name;
  double memory_gib = 0;
  std::map<std::int64_t, std::map<MemoryMeter, double>> peaks;  // in GiB
  std::set<std::int64_t> out_of_memory;

  std::vector<std::int64_t> batches_of(MemoryMeter meter) const {
    std::vector<std::int64_t> batches;
    for (const auto& [batch, by_meter] : peaks)
      if (by_meter.contains(meter)) batches.push_back(batch);
    return batches;
  }
  /// Returns the peaks of the two smallest batches of a meter, of every meter that tells them.
  MemoryByBatch two_smallest(MemoryMeter meter) const {
    MemoryByBatch two{name};
    const std::vector<std::int64_t> batches = batches_of(meter);
    for (std::size_t i = 0; i < std::min<std::size_t>(2, batches.size()); ++i) {
      MemoryUse use{.batch = batches[i]};
      for (const auto& [of, gib] : peaks.at(batches[i])) {
        const std::int64_t bytes = std::llround(gib * kGib);
        (of == MemoryMeter::allocator ? use.device_bytes : use.driver_bytes) = bytes;
      }
      two.uses.push_back(use);
    }
    return two;
  }
};

std::vector<Training> read_trainings(const std::string& folder) {
  std::map<std::string, Training> by_name;
  for_each_row(folder + "/memory/memory.csv",
               {"source", "family", "model", "method", "options", "gpu", "gpus", "precision", "seq",
                "batch", "status", "peak_gib", "what", "gpu_memory_gib"},
               [&](const std::vector<std::string>& cells) {
                 std::string name;
                 for (std::size_t i = 0; i < 9; ++i) name += cells[i] + "|";
                 const auto batch = static_cast<std::int64_t>(cell_number(cells[9]));
                 if (batch < 1) return;
                 Training& training = by_name[name];
                 training.name = name;
                 training.memory_gib = cell_number(cells[13]);
                 if (cells[10] == "oom") training.out_of_memory.insert(batch);
                 if (cells[10] != "ok") return;
                 const double gib = cell_number(cells[11]);
                 if (cells[12].starts_with("torch peak"))
                   training.peaks[batch][MemoryMeter::allocator] = gib;
                 if (cells[12] == "nvidia-smi" || cells[12].starts_with("as reported"))
                   training.peaks[batch][MemoryMeter::driver] = gib;
               });
  std::vector<Training> all;
  for (auto& [name, training] : by_name) all.push_back(std::move(training));
  return all;
}

std::string of_fms(const Training& training) {
  return training.name.starts_with("fms") ? training.name : "";
}

/// Returns the forecasts of the largest batch of each training with three or more.
std::vector<Judged> judge_lines(const std::vector<Training>& trainings, MemoryMeter meter,
                                double hidden) {
  std::vector<Judged> all;
  for (const Training& training : trainings) {
    const std::vector<std::int64_t> batches = training.batches_of(meter);
    if (batches.size() < 3 || of_fms(training).empty()) continue;
    const auto line = training.two_smallest(meter).line(meter, hidden);
    if (!line) continue;
    Interval<double> peak = line->at(batches.back());
    if (meter == MemoryMeter::driver) peak = shown_by_driver(peak, training.memory_gib * kGib);
    const double truth = std::log(training.peaks.at(batches.back()).at(meter) * kGib);
    all.push_back({training.name, std::log(std::max(1.0, peak.mid)) - truth,
                   std::log(std::max(1.0, peak.low)) - truth,
                   std::log(std::max(1.0, peak.high)) - truth});
  }
  return all;
}

/// Returns each half with the smallest share of a hidden line that covers 95 % of the other half.
std::vector<Judged> cross_fitted_lines(const std::vector<Training>& trainings, MemoryMeter meter) {
  std::vector<Judged> result;
  for (int half = 0; half < 2; ++half) {
    double chosen = std::end(kHidden)[-1];
    for (const double hidden : kHidden)
      if (errors_of(of_half(judge_lines(trainings, meter, hidden), 1 - half)).coverage >= 95) {
        chosen = hidden;
        break;
      }
    std::printf("  half %d is judged with kHiddenLine %.2f, which half %d chose\n", half, chosen,
                1 - half);
    for (Judged& judged : of_half(judge_lines(trainings, meter, chosen), half))
      result.push_back(std::move(judged));
  }
  return result;
}

void lines_part(const std::vector<Training>& trainings, MemoryMeter meter, const char* name,
                double median, double p90, Goals& goals) {
  goals.heading(std::string("The largest batch from the two smallest, by ") + name);
  const Errors shipped = errors_of(judge_lines(trainings, meter, kHiddenLine));
  goals.show("with the constant as it is", shipped);
  const Errors errors = errors_of(cross_fitted_lines(trainings, meter));
  goals.show("cross-fitted", errors);
  goals.error_goal(errors, median, p90);
  goals.coverage_goal(errors, 90, 98);
}

/// Is one batch beyond the two smallest: it fitted or not, and what was forecast.
struct ForecastFit {
  std::string task;
  bool fitted = false;
  bool forecast = false;  // that it fits
};

std::vector<ForecastFit> judge_fits(const std::vector<Training>& trainings,
                                    const DriverLimits& limits) {
  std::vector<ForecastFit> all;
  for (const Training& training : trainings) {
    const std::vector<std::int64_t> batches = training.batches_of(MemoryMeter::driver);
    if (batches.size() < 2) continue;
    const auto fits = BatchesThatFit::in(training.two_smallest(MemoryMeter::driver), true,
                                         std::llround(training.memory_gib * kGib), limits);
    if (!fits) continue;
    const auto judge = [&](std::int64_t batch, bool fitted) {
      all.push_back({training.name, fitted, fits->fit(batch).chance >= 0.5});
    };
    for (std::size_t i = 2; i < batches.size(); ++i) judge(batches[i], true);
    for (const std::int64_t batch : training.out_of_memory)
      if (batch > batches[1]) judge(batch, false);
  }
  return all;
}

int wrong_in(const std::vector<ForecastFit>& all, int half) {
  return static_cast<int>(std::ranges::count_if(all, [&](const ForecastFit& one) {
    return one.fitted != one.forecast && half_of(one.task) == half;
  }));
}

void fits_part(const std::vector<Training>& trainings, Goals& goals) {
  goals.heading("Out of memory, forecast from the two smallest batches");
  int lacks = 0, found = 0, fitted = 0, refused = 0;
  for (int half = 0; half < 2; ++half) {
    DriverLimits chosen = kLimits[0];
    int least = 1 << 30;
    for (const DriverLimits& limits : kLimits)
      if (const int wrong = wrong_in(judge_fits(trainings, limits), 1 - half); wrong < least) {
        least = wrong;
        chosen = limits;
      }
    std::printf("  half %d is judged with given_back %.2f and full %.2f, which half %d chose\n",
                half, chosen.given_back, chosen.full, 1 - half);
    for (const ForecastFit& one : judge_fits(trainings, chosen)) {
      if (half_of(one.task) != half) continue;
      ++(one.fitted ? fitted : lacks);
      if (one.fitted && !one.forecast) ++refused;
      if (!one.fitted && !one.forecast) ++found;
    }
  }
  int of_shipped = 0;
  for (const ForecastFit& one : judge_fits(trainings, {})) of_shipped += one.fitted != one.forecast;
  std::printf(
      "  %d of %d that ran out of memory were forecast, and %d of %d that fitted were "
      "refused; %d are wrong with the constants as they are\n",
      found, lacks, refused, fitted, of_shipped);
  goals.goal("all that ran out of memory, and none that fitted",
             found == lacks && refused == 0 && lacks > 0);
}

/// Holds a network whose largest batch is known.
struct Network {
  std::string family;
  double activations = 0;  // millions, of one image
  double parameters = 0;   // millions
  int largest = 0;
};

/// Returns the step of timm's benchmark at which a batch ends, from 512 downwards.
int timm_step(double batch) {
  for (const int step : {512, 384, 256, 192, 128, 96, 64, 48, 32, 24, 16, 12, 8, 6, 4, 3, 2})
    if (batch >= step) return step;
  return 1;
}

/// Forecasts timm's largest batch from activations and parameters: the memory that an image takes
/// is a power of its activations, chosen with the other halves of the families so that most steps
/// are right.
void networks_part(const std::string& folder, Goals& goals) {
  goals.heading("timm's largest batch on a card of 24 GB, from activations and parameters");
  std::vector<Network> networks;
  for_each_row(folder + "/memory/largest.csv",
               {"source", "family", "precision", "macts_m", "params_m", "fits"},
               [&](const std::vector<std::string>& cells) {
                 const double activations = cell_number(cells[3]);
                 if (cells[0] == "timm" && cells[2] == "amp nchw" && activations > 0)
                   networks.push_back({cells[1], activations, cell_number(cells[4]),
                                       static_cast<int>(cell_number(cells[5]))});
               });
  const auto step_of = [](const Network& network, double bytes, double power) {
    const double free = 0.95 * 24 * kGib - 16e6 * network.parameters;
    return timm_step(free / (bytes * 1e6 * std::pow(network.activations, power)));
  };
  const auto right_in = [&](int half, double bytes, double power) {
    return std::ranges::count_if(networks, [&](const Network& network) {
      return half_of(network.family) == half && step_of(network, bytes, power) == network.largest;
    });
  };
  std::ptrdiff_t right = 0;
  for (int half = 0; half < 2; ++half) {
    double bytes = 5, power = 1;
    std::ptrdiff_t most = -1;
    for (double each = 3; each <= 12; each += 0.1)
      for (double exponent = 0.8; exponent <= 1.1; exponent += 0.02)
        if (const auto score = right_in(1 - half, each, exponent); score > most) {
          most = score;
          bytes = each;
          power = exponent;
        }
    std::printf("  half %d is judged with %.1f bytes an activation to the power %.2f\n", half,
                bytes, power);
    right += right_in(half, bytes, power);
  }
  const double share = 100 * static_cast<double>(right) / static_cast<double>(networks.size());
  std::printf("  the right step in %.0f %% of %zu networks\n", share, networks.size());
  goals.goal("the right step in 75 %", share >= 75);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s DIR, the folder of public sets\n", argv[0]);
    return 2;
  }
  const std::vector<Training> trainings = read_trainings(argv[1]);
  Goals goals;
  lines_part(trainings, MemoryMeter::allocator, "torch's meter", 0.05, 5, goals);
  lines_part(trainings, MemoryMeter::driver, "the driver's meter", 1, 15, goals);
  fits_part(trainings, goals);
  networks_part(argv[1], goals);
  const std::vector<MegatronRun> megatron = read_megatron_memory(argv[1]);
  first_laps_part(megatron, goals);
  generations_part(megatron, goals);
  goals.end("memory-accuracy");
}
