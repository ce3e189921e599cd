#include "shortlist/public_sets.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <regex>
#include <set>
#include <utility>

namespace lapcast::shortlist {
namespace {

using Cells = std::vector<std::string>;
using Key = std::vector<std::string>;

MachineItem item(const std::string& gpu, PrecisionClass precision) {
  const AcceleratorSpec* row = AcceleratorTable::shipped().named(gpu);
  if (row == nullptr) no_data_in(gpu, "row of catalog/shortlist/accelerators.csv");
  return item_of(*row, precision);
}

std::string lambda_gpu(const std::string& system) {
  std::string name = std::regex_replace(system, std::regex("_v[12]$"), "");
  name = std::regex_replace(name, std::regex("(NVlink|NVLink)?_trt2?$"), "");
  name = std::regex_replace(name, std::regex("^1x(?=[A-Z0-9])"), "");
  name = std::regex_replace(name, std::regex("LambdaCloud_"), "");
  name = std::regex_replace(name, std::regex("^1x(?=[A-Z0-9])"), "");
  static const std::map<std::string, std::string> kNames{{"V100", "V100_SXM2"},
                                                         {"V10016G", "V100_SXM2"},
                                                         {"V100_16GB", "V100_SXM2"},
                                                         {"A100_PCIe", "A100_40_PCIe"},
                                                         {"A100_SXM4", "A100_40_SXM4"},
                                                         {"A100_p4", "A100_40_SXM4"},
                                                         {"A100_80GB_PCIe", "A100_80_PCIe"},
                                                         {"A100_80GB_SXM4", "A100_80_SXM4"},
                                                         {"A100_40GB_SXM4", "A100_40_SXM4"},
                                                         {"A100_40GB_PCIe", "A100_40_PCIe"},
                                                         {"H100_80GB_PCIe", "H100_PCIe"},
                                                         {"H100_80GB_PCIe5", "H100_PCIe"}};
  const auto found = kNames.find(name);
  return found == kNames.end() ? name : found->second;
}

/// Returns Lambda's rows on one accelerator, or those on several of one that the table has.
std::vector<SetRow> lambda_rows(const std::string& folder, bool several) {
  std::map<Key, std::vector<double>> runs;
  for_each_row(folder + "/cross-lambda/runs.csv.gz",
               {"version", "system", "gpus", "task", "precision", "throughput"},
               [&](const Cells& c) {
                 const double rate = cell_number(c[5]);
                 if (c[0] != "2" && (c[2] != "1") == several && rate > 0 && rate < 1e9)
                   runs[{c[0], c[1], c[3], c[4], c[2]}].push_back(rate);
               });
  static const std::regex kCount("(^|_)[0-9]+x(?=[A-Z0-9])");
  std::vector<SetRow> rows;
  for (const auto& [key, rates] : runs) {
    const auto precision = key[3] == "FP32" ? PrecisionClass::tf32 : PrecisionClass::half;
    const std::string set = "lambda" + key[0];
    std::string gpu = lambda_gpu(several ? std::regex_replace(key[1], kCount, "$1") : key[1]);
    if (several && AcceleratorTable::shipped().named(gpu) == nullptr) continue;
    rows.push_back({set, key[2], set + "/" + key[2] + "/" + std::string(name_of(precision)),
                    item(gpu, precision), -std::log(median_of(rates))});
    rows.back().accelerators = std::stoi(key[4]);
  }
  return rows;
}

}  // namespace

std::vector<SetRow> read_lambda(const std::string& folder) {
  return lambda_rows(folder, false);
}

std::vector<SetRow> read_lambda_of_several(const std::string& folder) {
  return lambda_rows(folder, true);
}

std::vector<SetRow> read_profet(const std::string& folder) {
  static const std::map<std::string, std::string> kGpus{{"g3s.xlarge", "M60"},
                                                        {"g4dn.xlarge", "T4"},
                                                        {"p2.xlarge", "K80"},
                                                        {"p3.2xlarge", "V100_SXM2"}};
  std::map<Key, std::vector<double>> steps;
  for_each_row(folder + "/cross-profet/steps.csv.gz",
               {"model", "px", "batch", "instance", "step_s"}, [&](const Cells& c) {
                 steps[{c[0], c[1], c[2], kGpus.at(c[3])}].push_back(cell_number(c[4]));
               });
  std::vector<SetRow> rows;
  for (const auto& [key, seconds] : steps)
    rows.push_back({"profet", key[0], "profet/" + key[0] + "/" + key[1] + "/" + key[2],
                    item(key[3], PrecisionClass::fp32), std::log(median_of(seconds)),
                    cell_number(key[2])});
  return rows;
}

std::vector<SetRow> read_neusight(const std::string& folder) {
  static const std::map<std::string, std::string> kGpus{{"AMD_Instinct_MI100", "MI100"},
                                                        {"AMD_Instinct_MI210", "MI210"},
                                                        {"NVIDIA_A100-PCIE-40GB", "A100_40_PCIe"},
                                                        {"NVIDIA_A100_80GB_PCIe", "A100_80_PCIe"},
                                                        {"Tesla_P100-PCIE-16GB", "P100"},
                                                        {"Tesla_P4", "P4"},
                                                        {"Tesla_T4", "T4"},
                                                        {"Tesla_V100-PCIE-32GB", "V100_PCIe"}};
  std::vector<SetRow> rows;
  for_each_row(
      folder + "/cross-neusight/e2e.csv",
      {"device", "model", "mode", "seq", "batch", "extra", "e2e_ms", "neusight_pred_ms"},
      [&](const Cells& c) {
        const auto gpu = kGpus.find(c[0]);
        if (gpu == kGpus.end() || !c[5].empty() || cell_number(c[6]) <= 0) return;
        rows.push_back({"neusight", c[1], "neusight/" + c[1] + "/" + c[2] + "/" + c[3] + "/" + c[4],
                        item(gpu->second, PrecisionClass::fp32), std::log(cell_number(c[6]) / 1000),
                        cell_number(c[4]), cell_number(c[7]) / 1000});
      });
  return rows;
}

std::vector<SetRow> read_sia(const std::string& folder) {
  static const std::map<std::string, std::string> kGpus{
      {"aws", "T4"}, {"rtx", "2080Ti"}, {"quad", "QuadroRTX6000"}, {"dgx-ext", "A100_40_SXM4"}};
  std::map<std::pair<Key, double>, std::vector<double>> steps;
  for_each_row(folder + "/scaling-sia/steps.csv.gz",
               {"workload", "cluster", "kind", "placement", "local_bsz", "step_time"},
               [&](const Cells& c) {
                 const auto gpu = kGpus.find(c[1]);
                 const double seconds = cell_number(c[5]);
                 if (gpu == kGpus.end() || c[2] != "placement" || c[3] != "1" || seconds <= 0)
                   return;
                 const double half_octave = std::nearbyint(std::log2(cell_number(c[4])) * 2) / 2;
                 steps[{{c[0], gpu->second}, half_octave}].push_back(seconds);
               });
  std::vector<SetRow> rows;
  for (const auto& [key, seconds] : steps)
    rows.push_back({"sia", key.first[0], "sia/" + key.first[0] + "/" + std::to_string(key.second),
                    item(key.first[1], PrecisionClass::tf32), std::log(median_of(seconds)),
                    std::exp2(key.second)});
  return rows;
}

std::vector<SetRow> read_gavel(const std::string& folder) {
  static const std::map<std::string, std::string> kGpus{
      {"k80", "K80"}, {"p100", "P100"}, {"v100", "V100_SXM2"}};
  std::map<Key, double> steps;
  for_each_row(folder + "/scaling-gavel/throughputs.csv",
               {"model", "batch_per_gpu", "gpu", "gpus", "step_s"}, [&](const Cells& c) {
                 if (c[3] == "1") steps.emplace(Key{c[0], c[1], kGpus.at(c[2])}, cell_number(c[4]));
               });
  std::vector<SetRow> rows;
  for (const auto& [key, seconds] : steps)
    rows.push_back({"gavel", key[0], "gavel/" + key[0] + "/" + key[1],
                    item(key[2], PrecisionClass::fp32), std::log(seconds), cell_number(key[1])});
  return rows;
}

std::vector<SetRow> read_megatron(const std::string& folder) {
  static const std::map<std::string, std::string> kGpus{
      {"dgx_a100", "A100_80_SXM4"}, {"dgx_h100", "H100_SXM5"}, {"dgx_gb200", "GB200"}};
  std::map<std::string, std::pair<std::string, std::string>> files;  // case and GPU
  for_each_row(
      folder + "/megatron/files.csv",
      {"file", "case", "environment", "platform", "part", "gpus", "copy_of"}, [&](const Cells& c) {
        const auto gpu = kGpus.find(c[3]);
        if (gpu != kGpus.end() && c[2] == "dev" && c[4].empty() && c[5] == "8" && c[6].empty())
          files[c[0]] = {c[1], gpu->second};
      });
  std::map<std::string, std::vector<std::pair<double, double>>> series;  // step and seconds
  for_each_row(folder + "/megatron/series.csv.gz", {"file", "step", "iteration_s"},
               [&](const Cells& c) {
                 if (files.contains(c[0]))
                   series[c[0]].emplace_back(cell_number(c[1]), cell_number(c[2]));
               });
  std::map<std::pair<std::string, std::string>, std::vector<double>> medians;
  for (auto& [file, steps] : series) {
    std::sort(steps.begin(), steps.end());
    const std::size_t skip = std::max<std::size_t>(2, steps.size() / 10);
    std::vector<double> seconds;
    for (std::size_t i = skip; i < steps.size(); ++i) seconds.push_back(steps[i].second);
    if (seconds.size() >= 3) medians[files[file]].push_back(median_of(seconds));
  }
  std::vector<SetRow> rows;
  for (const auto& [key, seconds] : medians)
    rows.push_back({"megatron", key.first.substr(0, key.first.find('/')), "megatron/" + key.first,
                    item(key.second, PrecisionClass::half), std::log(median_of(seconds))});
  return rows;
}

std::vector<SetRow> read_mlperf(const std::string& folder) {
  std::map<Key, std::vector<double>> runs;
  for_each_row(folder + "/scaling-mlperf/runs.csv.gz",
               {"round", "benchmark", "accel", "nodes", "accel_per_node", "run_s"},
               [&](const Cells& c) {
                 if (cell_number(c[3]) * cell_number(c[4]) != 8 || c[1] == "minigo") return;
                 static const std::map<std::string, std::string> kGpus{
                     {"NVIDIA A100-PCIE-80GB", "A100_80_PCIe"},
                     {"NVIDIA A100-PCIe-80GB", "A100_80_PCIe"},
                     {"NVIDIA A100-SXM-80GB", "A100_80_SXM4"},
                     {"NVIDIA A100-SXM4-80GB", "A100_80_SXM4"},
                     {"NVIDIA A100-SXM4-40GB", "A100_40_SXM4"},
                     {"NVIDIA A40", "A40"},
                     {"NVIDIA H100-SXM5-80GB", "H100_SXM5"},
                     {"NVIDIA H100-SXM-80GB", "H100_SXM5"},
                     {"NVIDIA A30-PCIE-24GB", "A30"},
                     {"NVIDIA H100-PCIe", "H100_PCIe"},
                     {"NVIDIA H100-PCIe-80GB", "H100_PCIe"},
                     {"NVIDIA H200-SXM5-141GB", "H200"},
                     {"NVIDIA L40S", "L40S"},
                     {"NVIDIA Blackwell GPU (B200-SXM-180GB)", "B200"},
                     {"NVIDIA RTX A5000", "A5000"}};
                 const auto gpu = kGpus.find(c[2]);
                 if (gpu == kGpus.end()) return;
                 runs[{c[0], c[1] == "resnet50" ? "resnet" : c[1], gpu->second}].push_back(
                     cell_number(c[5]));
               });
  std::vector<SetRow> rows;
  for (const auto& [key, seconds] : runs)
    rows.push_back({"mlperf", key[1], "mlperf/" + key[0] + "/" + key[1],
                    item(key[2], PrecisionClass::half), std::log(median_of(seconds))});
  return rows;
}

std::vector<SetRow> read_timm(const std::string& folder) {
  static const std::map<Key, std::string> kGpus{{{"240", "rtx3090"}, "3090"},
                                                {{"240", "rtx4090"}, "4090"},
                                                {{"291", "4090"}, "4090"},
                                                {{"291", "5090"}, "5090"},
                                                {{"291", "pro6000maxq"}, "Pro6000MaxQ"}};
  // torch, family -> model and size -> GPU -> rate
  std::map<Key, std::map<Key, std::map<std::string, double>>> found;
  for_each_row(
      folder + "/cross-timm/benchmarks.csv.gz",
      {"mode", "device", "torch", "precision", "layout", "dynamo", "model", "px", "samples_per_s"},
      [&](const Cells& c) {
        const auto gpu = kGpus.find({c[2], c[1]});
        if (gpu == kGpus.end() || c[0] != "infer" || c[3] != "amp" || c[4] != "nchw" ||
            c[5] != "0" || cell_number(c[8]) <= 0)
          return;
        const std::size_t end = std::find_if_not(c[6].begin(), c[6].end(),
                                                 [](unsigned char x) { return std::isalpha(x); }) -
                                c[6].begin();
        found[{c[2], c[6].substr(0, end)}][{c[6], c[7]}][gpu->second] = cell_number(c[8]);
      });
  std::vector<SetRow> rows;
  for (const auto& [key, models] : found) {
    const std::vector<std::string> wanted =
        key[0] == "240" ? std::vector<std::string>{"3090", "4090"}
                        : std::vector<std::string>{"4090", "5090", "Pro6000MaxQ"};
    std::map<std::string, std::vector<double>> sums;
    for (const auto& [model, rates] : models)
      if (rates.size() == wanted.size())
        for (const auto& [gpu, rate] : rates) sums[gpu].push_back(-std::log(rate));
    for (const auto& [gpu, logs] : sums) {
      double sum = 0;
      for (const double value : logs) sum += value;
      rows.push_back({"timm", key[1], "timm/" + key[0] + "/" + key[1],
                      item(gpu, PrecisionClass::half), sum / static_cast<double>(logs.size())});
    }
  }
  return rows;
}

std::vector<ProgramRow> programs_of(const std::vector<SetRow>& rows) {
  std::map<std::string, std::pair<ProgramRow, std::vector<int>>> found;
  for (const SetRow& row : rows) {
    auto& [program, counts] = found[row.program];
    program.set = row.set;
    program.task = row.task;
    program.program = row.program;
    const auto at = std::find(program.items.begin(), program.items.end(), row.item);
    const auto place = static_cast<std::size_t>(at - program.items.begin());
    if (at == program.items.end()) {
      program.items.push_back(row.item);
      program.log_seconds.push_back(0);
      counts.push_back(0);
    }
    program.log_seconds[place] += row.log_seconds;
    ++counts[place];
  }
  std::vector<ProgramRow> programs;
  for (auto& [name, entry] : found) {
    for (std::size_t i = 0; i < entry.second.size(); ++i)
      entry.first.log_seconds[i] /= entry.second[i];
    programs.push_back(std::move(entry.first));
  }
  return programs;
}

std::vector<SetRow> device_bound(const std::vector<SetRow>& rows) {
  std::map<std::string,
           std::set<MachineItem, decltype([](const MachineItem&a, const MachineItem&b) {
                      return a.accelerator < b.accelerator;
                    })>>
      of_task, of_program;
  std::map<std::string, double> largest;
  std::set<std::string> slow;
  for (const SetRow& row : rows) {
    of_task[row.task].insert(row.item);
    of_program[row.program].insert(row.item);
    if (row.item.accelerator == "T4" && row.log_seconds > std::log(.05)) slow.insert(row.program);
  }
  for (const SetRow& row : rows)
    if (row.set == "gavel" || of_program[row.program].size() == of_task[row.task].size())
      largest[row.task] = std::max(largest[row.task], row.batch);
  std::vector<SetRow> kept;
  for (const SetRow& row : rows) {
    if (row.set == "profet" && (row.batch < 64 || !slow.contains(row.program))) continue;
    if (row.set == "sia" && row.task == "ncf") continue;
    if ((row.set == "sia" || row.set == "gavel") && row.batch != largest[row.task]) continue;
    kept.push_back(row);
  }
  return kept;
}

}  // namespace lapcast::shortlist
