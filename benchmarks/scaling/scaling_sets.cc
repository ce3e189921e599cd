#include "scaling/scaling_sets.h"

#include <cmath>
#include <map>
#include <regex>
#include <set>

#include "shortlist/csv_file.h"

namespace lapcast::scaling {
namespace {

using shortlist::cell_number;
using shortlist::for_each_row;
using shortlist::median_of;
using Cells = std::vector<std::string>;

constexpr double kGpusOfNode = 8;  // where a set does not say

Workers nodes_of(double gpus, double in_node) {
  return gpus <= in_node ? Workers{1, gpus} : Workers{gpus / in_node, in_node};
}

}  // namespace

std::vector<ScalingRow> read_sia_laps(const std::string& folder) {
  std::vector<ScalingRow> rows;
  for_each_row(
      folder + "/scaling-sia/steps.csv.gz",
      {"workload", "cluster", "kind", "placement", "nodes", "gpus", "local_bsz", "step_time"},
      [&](const Cells& c) {
        static const std::set<std::string> kClusters{"aws", "rtx", "quad", "dgx-ext"};
        const double nodes = cell_number(c[4]), gpus = cell_number(c[5]);
        const double seconds = cell_number(c[7]);
        if (!kClusters.contains(c[1]) || !(seconds > 0)) return;
        const bool is_even = c[3].empty() ? std::fmod(gpus, nodes) == 0
                                          : c[3].find_first_not_of(c[3][0]) == std::string::npos;
        rows.push_back({c[0],
                        c[0] + "/" + c[1],
                        c[2],
                        {nodes, gpus / nodes},
                        is_even,
                        cell_number(c[6]),
                        std::log(seconds)});
      });
  return rows;
}

std::vector<ScalingRow> read_gavel_laps(const std::string& folder) {
  std::vector<ScalingRow> rows;
  for_each_row(folder + "/scaling-gavel/throughputs.csv",
               {"model", "batch_per_gpu", "gpu", "consolidated", "gpus", "step_s"},
               [&](const Cells& c) {
                 const bool in_node = c[3] == "1";
                 const double gpus = cell_number(c[4]);
                 rows.push_back({c[0], c[0] + "/" + c[2] + "/" + c[3], in_node ? "node" : "spread",
                                 in_node ? Workers{1, gpus} : Workers{gpus, 1}, true,
                                 cell_number(c[1]), std::log(cell_number(c[5]))});
               });
  return rows;
}

std::vector<ScalingRow> read_lambda_laps(const std::string& folder) {
  std::map<Cells, std::vector<double>> rates;
  for_each_row(
      folder + "/cross-lambda/runs.csv.gz",
      {"version", "system", "gpus", "task", "precision", "throughput"}, [&](const Cells& c) {
        const double rate = cell_number(c[5]);
        if (c[0] == "2" || rate <= 0 || rate >= 1e9) return;
        static const std::regex kCount("(^|_)[0-9]+x(?=[A-Z0-9])");
        rates[{c[0], std::regex_replace(c[1], kCount, "$1"), c[3], c[4], c[2]}].push_back(rate);
      });
  std::vector<ScalingRow> rows;
  for (const auto& [key, all] : rates) {
    const double gpus = cell_number(key[4]);
    rows.push_back({key[2],
                    key[0] + "/" + key[1] + "/" + key[2] + "/" + key[3],
                    key[0],
                    {1, gpus},
                    true,
                    1,
                    std::log(gpus / median_of(all))});
  }
  return rows;
}

std::vector<ScalingRow> read_tensorflow_laps(const std::string& folder) {
  std::vector<ScalingRow> rows;
  for_each_row(
      folder + "/scaling-tf2017/throughput.csv",
      {"platform", "variable_update", "model", "batch_per_gpu", "data", "gpus", "images_per_s"},
      [&](const Cells& c) {
        const double gpus = cell_number(c[5]), batch = cell_number(c[3]);
        const bool across = c[0].find("distributed") != std::string::npos;
        rows.push_back({c[2], c[0] + "/" + c[1] + "/" + c[2] + "/" + c[4],
                        across ? "distributed" : "node", nodes_of(gpus, kGpusOfNode), true, batch,
                        std::log(gpus * batch / cell_number(c[6]))});
      });
  return rows;
}

std::vector<ScalingRow> read_foundry_laps(const std::string& folder) {
  std::vector<ScalingRow> rows;
  for_each_row(
      folder + "/scaling-foundry/foundry.csv",
      {"model", "seq", "gpu", "precision", "micro_batch", "sharding", "activation_checkpointing",
       "activation_offload", "mp_mode", "gpus", "tokens_s_gpu", "grad_accum"},
      [&](const Cells& c) {
        std::string program;
        for (std::size_t i = 0; i < 9; ++i) program += c[i] + "/";
        rows.push_back({c[0], program, "", nodes_of(cell_number(c[9]), kGpusOfNode), true, 1,
                        -std::log(cell_number(c[10]))});
      });
  return rows;
}

std::vector<ScalingRow> read_data_parallel_laps(const std::string& folder) {
  std::vector<ScalingRow> rows;
  for_each_row(folder + "/scaling-foundry/torchvision.csv",
               {"source", "gpu", "gpus", "precision", "model", "median_ms"}, [&](const Cells& c) {
                 rows.push_back({c[4],
                                 c[0] + "/" + c[1] + "/" + c[3] + "/" + c[4],
                                 "",
                                 {1, cell_number(c[2])},
                                 true,
                                 1,
                                 std::log(cell_number(c[5]) / 1000)});
               });
  return rows;
}

}  // namespace lapcast::scaling
