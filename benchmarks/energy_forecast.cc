// Measures how far forecasts of energy are off: ./bench energy-forecast DIR takes the folder that
// has energy-mlperf and energy-zeus, and perhaps energy-mlperf2. Goals: median and 90th percentile
// of the errors at most 1 and 3 % from the first 60 s of a run of energy-mlperf, 0.4 and 2.5 % of
// both sets together, and 3 and 15 % at another batch size.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <zlib.h>

#include "energy/other_batch.h"
#include "energy/power_series.h"
#include "energy/power_table.h"
#include "figure.h"
#include "found_data.h"
#include "price/csv_rows.h"

namespace {

using lapcast::BatchPower;
using lapcast::Interval;
using lapcast::PowerReading;
using lapcast::PowerSeries;
namespace fs = std::filesystem;

using Row = std::map<std::string, std::string>;

/// Returns the text of a file, which may be compressed by gzip; empty where it cannot be read.
std::string text_of(const fs::path& path) {
  std::string text;
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) return text;
  char piece[65536];
  for (int got = 0; (got = gzread(file, piece, sizeof piece)) > 0;)
    text.append(piece, static_cast<std::size_t>(got));
  gzclose(file);
  return text;
}

std::vector<Row> rows_of(const fs::path& path) {
  std::vector<Row> rows;
  std::vector<std::string> header;
  lapcast::for_each_csv_row(text_of(path), [&](const lapcast::CsvRow& row) {
    if (header.empty()) {
      header = row.fields;
      return;
    }
    Row& named = rows.emplace_back();
    for (std::size_t i = 0; i < std::min(header.size(), row.fields.size()); ++i)
      named[header[i]] = row.fields[i];
  });
  return rows;
}

/// Collects relative errors.
struct Errors {
  std::vector<double> shares;
  std::size_t covered = 0;

  void add(double forecast, double real) { shares.push_back(std::abs(forecast / real - 1)); }
  void add(const Interval<double>& forecast, double real) {
    add(forecast.mid, real);
    if (forecast.contains(real)) ++covered;
  }
  /// Returns the quantile, on the line between the two nearest errors.
  double quantile(double q) const {
    std::vector<double> sorted = shares;
    std::ranges::sort(sorted);
    const double at = q * static_cast<double>(sorted.size() - 1);
    const auto low = static_cast<std::size_t>(at);
    const std::size_t high = std::min(low + 1, sorted.size() - 1);
    return sorted[low] + (at - static_cast<double>(low)) * (sorted[high] - sorted[low]);
  }
  void print(const std::string& what, bool has_intervals) const {
    std::printf("%-58s %5zu  %6.2f %7.2f", what.c_str(), shares.size(), 100 * quantile(0.5),
                100 * quantile(0.9));
    if (has_intervals)
      std::printf("  %5.1f",
                  100 * static_cast<double>(covered) / static_cast<double>(shares.size()));
    std::printf("\n");
  }
};

void print_heading(const std::string& title) {
  std::printf("\n%-58s %5s  %6s %7s  %s\n", title.c_str(), "n", "median", "90 %", "covered, %");
}

/// Adds the forecast of the runs of energy-mlperf2 from the first 60 s of their first meter.
void measure_second_set(const fs::path& folder, Errors& both) {
  const auto key_of = [](const Row& row) {
    return row.at("round") + row.at("benchmark") + row.at("system") + row.at("file");
  };
  std::map<std::string, std::vector<PowerReading>> series;
  for (const Row& row : rows_of(folder / "series.csv.gz"))
    if (row.at("node") == "node_0")
      series[key_of(row)].push_back({std::stod(row.at("t_s")), std::stod(row.at("w"))});
  std::map<std::string, Errors> benchmarks;
  Errors all;
  for (const Row& row : rows_of(folder / "runs.csv")) {
    const double run_s = std::stod(row.at("run_s"));
    const PowerSeries powers = lapcast::power_series(series[key_of(row)]);
    const auto first = lapcast::first_seconds(powers, 0, 60);
    const auto real = lapcast::joules_between(powers, 0, run_s);
    if (!first || !real) continue;
    const Interval<double> forecast = lapcast::joules_of_training(*first, run_s);
    for (Errors* errors : {&benchmarks[row.at("benchmark")], &all, &both})
      errors->add(forecast, *real);
  }
  if (all.shares.empty()) return;
  print_heading("energy-mlperf2: the energy of a run, errors in %");
  all.print("its first 60 s, and the rest as seconds 30 to 60", true);
  for (const auto& [benchmark, errors] : benchmarks) errors.print("  " + benchmark, true);
  both.print("energy-mlperf and energy-mlperf2 together", true);
}

/// Returns the median of the first errors.
double measure_first_seconds(const fs::path& folder, const fs::path& second) {
  std::map<std::string, std::vector<PowerReading>> series;
  for (const Row& row : rows_of(folder / "series.csv.gz"))
    series[row.at("benchmark") + row.at("accelerators") + row.at("file")].push_back(
        {std::stod(row.at("t_s")), std::stod(row.at("node0_w"))});
  std::map<std::string, Row> of_run;  // at the plug; node 0 is one of the nodes
  for (const Row& row : rows_of(folder / "runs.csv"))
    if (row.at("supply") == "ac")
      of_run[row.at("benchmark") + row.at("accelerators") + row.at("file")] = row;
  Errors ours, mean, nodes;
  for (const auto& [key, readings] : series) {
    const double run_s = std::stod(of_run.at(key).at("run_s"));
    const PowerSeries powers = lapcast::power_series(readings);
    const double real = *lapcast::joules_between(powers, 0, run_s);
    const auto first = lapcast::first_seconds(powers, 0, 60);
    const Interval<double> forecast = lapcast::joules_of_training(*first, run_s);
    ours.add(forecast, real);
    mean.add(*lapcast::joules_between(powers, 30, 90) / 60 * run_s, real);
    nodes.add(
        lapcast::joules_of_training(*first, run_s).mid * std::stod(of_run.at(key).at("nodes")),
        std::stod(of_run.at(key).at("energy_j")));
  }
  print_heading("energy-mlperf: the energy of a run, errors in %");
  ours.print("its first 60 s, and the rest as seconds 30 to 60", true);
  nodes.print("the same times the nodes, against all nodes", false);
  mean.print("the mean of seconds 30 to 90", false);
  const double median = ours.quantile(0.5);
  measure_second_set(second, ours);
  return median;
}

/// Holds the batch sizes of one network on one GPU at one power limit, in ascending order.
struct Setting {
  std::string gpu;
  double limit = 0;
  std::map<int, BatchPower> batches;
};

double rated_watts(const std::string& gpu) {  // the power limit that the GPUs of Zeus are sold with
  return gpu == "a40" ? 300 : 250;
}

std::vector<Setting> settings_of(const std::vector<Row>& rows) {
  std::map<std::tuple<std::string, std::string, std::string, std::string, std::string>, Setting>
      settings;
  for (const Row& row : rows) {
    Setting& setting = settings[{row.at("gpu"), row.at("dataset"), row.at("network"),
                                 row.at("optimizer"), row.at("power_limit")}];
    setting.gpu = row.at("gpu");
    setting.limit = std::stod(row.at("power_limit"));
    setting.batches[std::stoi(row.at("batch_size"))] = {std::stod(row.at("time_per_epoch")),
                                                        std::stod(row.at("average_power"))};
  }
  std::vector<Setting> result;
  for (auto& [key, setting] : settings) result.push_back(std::move(setting));
  return result;
}

/// Measures the forecast of each batch size from those at the places `of` (of the number of batch
/// sizes), which are left out, and that by the power of the nearest one.
template <class Places>
void measure_other_batches(const std::vector<Setting>& settings, const std::string& what,
                           Places of) {
  Errors ours, constant;
  for (const Setting& setting : settings) {
    std::vector<std::pair<int, BatchPower>> all(setting.batches.begin(), setting.batches.end());
    std::vector<std::size_t> places = of(all.size());
    std::ranges::sort(places);
    places.erase(std::unique(places.begin(), places.end()), places.end());
    std::vector<BatchPower> measured;
    for (const std::size_t place : places) measured.push_back(all[place].second);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (std::ranges::binary_search(places, i)) continue;
      const auto [batch, real] = all[i];
      const auto forecast = lapcast::power_at_other_batch(measured, real.epoch_s, setting.limit);
      const auto nearest = std::ranges::min(places, {}, [&](std::size_t place) {
        return std::abs(std::log(static_cast<double>(all[place].first) / batch));
      });
      ours.add(*forecast, real.watts);
      constant.add(all[nearest].second.watts, real.watts);
    }
  }
  ours.print(what, true);
  constant.print("  a constant: the nearest measured one", false);
}

/// Measures what rated power times time says, and how often the shipped interval holds the truth.
/// Then chooses the interval from two GPU types as it was chosen from three, and judges the third.
void measure_tables(const std::vector<Row>& rows) {
  Errors limits, rated, shipped;
  std::map<std::string, std::vector<double>> shares;  // of the rated power, without a lower limit
  for (const Row& row : rows) {
    const double limit = std::stod(row.at("power_limit"));
    const double watts = std::stod(row.at("average_power"));
    limits.add(limit, watts);
    if (limit < rated_watts(row.at("gpu"))) continue;
    shares[row.at("gpu")].push_back(watts / limit);
    rated.add(limit, watts);
    shipped.add(lapcast::accelerator_in_use(limit), watts);
  }
  print_heading("energy-zeus: power from tables, errors in %");
  limits.print("power limit x time, all limits", false);
  rated.print("power limit x time, where it is the rated power", false);
  shipped.print("0.67 times the rated power (0.14 to 1.02)", true);
  for (const auto& [left_out, own] : shares) {
    Errors judged;
    std::vector<double> others;
    for (const auto& [gpu, values] : shares)
      if (gpu != left_out) others.insert(others.end(), values.begin(), values.end());
    std::ranges::sort(others);
    const Interval<double> chosen{0.9 * others.front(), others[others.size() / 2],
                                  1.1 * others.back()};
    for (const double share : own) judged.add(chosen, share);
    judged.print("  " + left_out + ", interval from the other two GPU types", true);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2)
    for (const char* file :
         {"energy-zeus/power.csv", "energy-mlperf/series.csv.gz", "energy-mlperf/runs.csv"})
      if (!fs::exists(fs::path(argv[1]) / file)) lapcast::no_data_in(argv[1], file);
  if (argc != 2) {
    std::fprintf(stderr,
                 "usage: bench-energy-forecast DIR    DIR has energy-mlperf, energy-zeus\n");
    return 2;
  }
  const fs::path folder = argv[1];
  const double first = measure_first_seconds(folder / "energy-mlperf", folder / "energy-mlperf2");
  const std::vector<Row> rows = rows_of(folder / "energy-zeus/power.csv");
  const std::vector<Setting> settings = settings_of(rows);
  using Places = std::vector<std::size_t>;
  print_heading("energy-zeus: another batch size, same power limit, errors in %");
  measure_other_batches(settings, "from 3 measured: smallest, middle, largest", [](std::size_t n) {
    return Places{0, n / 2, n - 1};
  });
  measure_other_batches(settings, "from 2 measured: smallest, largest", [](std::size_t n) {
    return Places{0, n - 1};
  });
  measure_other_batches(settings, "from 1 measured: the middle",
                        [](std::size_t n) { return Places{n / 2}; });
  measure_tables(rows);
  lapcast::print_figure("energy-forecast", 100 * first, "%");
  return 0;
}
