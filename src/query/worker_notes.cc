#include "query/worker_notes.h"

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <utility>

#include "core/units.h"

namespace lapcast {
namespace {

std::string batch_note(BatchRule rule) {
  switch (rule) {
    case BatchRule::per_worker:
      return "the batch size is that of each worker: laps of more workers have more samples, and "
             "there are fewer";
    case BatchRule::global:
      return "the batch size is that of all workers together: more workers share it";
    case BatchRule::assumed_per_worker:
      break;
  }
  return "the batch size is taken for that of each worker: runs on two numbers of workers would "
         "tell";
}

/// Says where the epochs of the rows come from; nothing where they are stated.
std::optional<std::string> epochs_note(const WorkerForecast& forecast) {
  if (!forecast.learned.empty()) {
    std::vector<double> batches;
    for (const auto& [batch, epochs] : forecast.learned) batches.push_back(batch);
    return fmt::format(
        "epochs are those that --find-epochs learned, at {:g} samples a lap{}; --epochs N takes as "
        "many for all",
        fmt::join(batches, ", "),
        batches.size() == 1 ? " alone" : ": on a line between them, as at the nearest beyond them");
  }
  if (forecast.epochs_stated || forecast.scaled.batch == BatchRule::global) return std::nullopt;
  return "as many epochs are taken for all; larger global batches may need more: "
         "--epochs-at 256=10,1024=12";
}

}  // namespace

std::string payment_note(const WorkerForecast& forecast) {
  if (forecast.gpus_paid_singly > 0)
    return fmt::format("each worker's GPU is paid: its share of the price of a machine with {}",
                       forecast.gpus_paid_singly);
  return fmt::format("{} is paid whole, whatever is used of it",
                     forecast.scaled.rows.front().workers.nodes > 1 ? "each node" : "the machine");
}

std::vector<std::string> worker_notes(const WorkerForecast& forecast, bool has_costs) {
  std::vector<std::string> notes{batch_note(forecast.scaled.batch)};
  if (auto epochs = epochs_note(forecast)) notes.push_back(*std::move(epochs));
  notes.push_back(
      "laps are those of the slowest worker; scaled ones were not measured: "
      "`lapcast help workers.md` says how often such 95 % intervals held");
  if (has_costs) notes.push_back(payment_note(forecast));
  return notes;
}

std::vector<std::string> merged_texts(
    const std::map<std::string, std::vector<std::string>>& by_machine) {
  std::map<std::string, std::size_t> counts;
  for (const auto& [machine, texts] : by_machine)
    for (const std::string& text : texts) ++counts[text];
  std::vector<std::string> merged;
  for (const auto& [machine, texts] : by_machine)
    for (const std::string& text : texts) {
      std::size_t& count = counts[text];
      if (count == by_machine.size()) {
        merged.push_back(text);
        count = 0;  // it is told
      } else if (count > 0) {
        merged.push_back(printable(machine) + ": " + text);
      }
    }
  return merged;
}

}  // namespace lapcast
