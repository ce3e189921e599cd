#include "report/batch_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/units.h"
#include "extrapolate/memory_fit.h"
#include "forecast/memory_use.h"
#include "report/answer.h"
#include "report/cells.h"
#include "run/secrets.h"
#include "run/settings.h"

namespace lapcast {
namespace {

constexpr double kSamplesOfCurve = 1e6;

struct TriedBatch {
  std::string machine;  // with its settings but the batch
  std::int64_t batch = 0;
  const SweepRow* row = nullptr;
  std::string reason;  // why it does not fit; empty = it does
  std::optional<double> share;
  std::optional<double> seconds_per_million;
  std::optional<double> dollars_per_million;

  bool fits() const { return reason.empty(); }
};

TriedBatch tried_batch(const SweepRow& row, const MemoryByBatch& program) {
  const Run& run = *row.run;
  TriedBatch tried{program.name, program.uses.front().batch, &row, program.uses.front().reason};
  for (const MeteredMemory& memory : memory_of(run, *laps_of(run)))
    tried.share = std::max(tried.share, memory.share());
  if (!row.assessment.profile || !tried.fits()) return tried;
  const double rate = row.assessment.profile->steady.samples_per_second.mid;
  if (rate > 0) tried.seconds_per_million = kSamplesOfCurve / rate;
  if (const auto& price = run.context.price; price && tried.seconds_per_million)
    tried.dollars_per_million = price->price.per_hour.dollars() * *tried.seconds_per_million / 3600;
  return tried;
}

std::vector<TriedBatch> tried_of(std::span<const SweepRow> rows) {
  std::vector<TriedBatch> all;
  for (const SweepRow& row : rows)
    for (const MemoryByBatch& program : memory_by_batch(std::span(row.run, 1)))
      all.push_back(tried_batch(row, program));
  std::ranges::stable_sort(all, [](const TriedBatch& a, const TriedBatch& b) {
    return std::pair(a.machine, a.batch) < std::pair(b.machine, b.batch);
  });
  return all;
}

std::string name_of(const TriedBatch& tried) {
  return fmt::format("{} batch={}", tried.machine, tried.batch);
}

/// Returns the row with the least of a figure.
std::optional<AnswerRow> best_by(const std::vector<TriedBatch>& all, const char* what,
                                 std::optional<double> TriedBatch::*figure) {
  const TriedBatch* best = nullptr;
  for (const TriedBatch& tried : all)
    if (tried.*figure && (best == nullptr || *(tried.*figure) < *(best->*figure))) best = &tried;
  if (best == nullptr) return std::nullopt;
  return AnswerRow{
      what, name_of(*best),
      best->dollars_per_million ? fmt::format("${:.4f}", *best->dollars_per_million) : "",
      format_duration(Seconds(*best->seconds_per_million)), "for a million samples"};
}

std::vector<std::string> answer_from(const std::vector<TriedBatch>& all) {
  std::map<std::string, std::pair<const TriedBatch*, const TriedBatch*>> ends;
  for (const TriedBatch& tried : all) {
    auto& [fits, fails] = ends[tried.machine];
    if (tried.fits()) fits = &tried;
    if (!tried.fits() && fails == nullptr) fails = &tried;
  }
  std::vector<std::string> lines;
  for (const auto& [machine, end] : ends) {
    const auto& [fits, fails] = end;
    std::string line = fits == nullptr ? fmt::format("{}: no batch fits", machine)
                                       : fmt::format("{}: batch {} is the largest that fits",
                                                     machine, fits->batch);
    if (fails != nullptr)
      line += fmt::format("; {} does not: {}", fails->batch, fails->reason);
    else if (fits != nullptr)
      line += "; the next size would take more memory than there is, by forecast";
    lines.push_back(std::move(line));
  }
  std::vector<AnswerRow> best;
  if (auto row = best_by(all, "FASTEST", &TriedBatch::seconds_per_million)) best.push_back(*row);
  if (auto row = best_by(all, "CHEAPEST", &TriedBatch::dollars_per_million)) best.push_back(*row);
  for (std::string& line : aligned_rows(best)) lines.push_back(std::move(line));
  return lines;
}

}  // namespace

Table batch_table(std::span<const SweepRow> rows) {
  const std::vector<TriedBatch> all = tried_of(rows);
  const auto of_profile = [](auto value) {
    return [value](const TriedBatch& tried) {
      return tried.fits() ? cell_if(tried.row->assessment.profile, value) : Cell();
    };
  };
  Table table = table_of<TriedBatch>(
      "batches", "Batch sizes that were tried",
      {{"machine_type", "machine", &TriedBatch::machine},
       {"batch", "batch", &TriedBatch::batch},
       {"fits", "fits", [](auto& t) { return Mark{t.fits()}; }},
       {"memory_share", "memory", [](auto& t) { return share_cell(t.share); }, kOptional},
       {"lap_s", "steady lap", of_profile([](auto& p) { return p.steady.mean; }), kBounds},
       {"samples_per_second", "samples/s",
        of_profile([](auto& p) { return p.steady.samples_per_second; }), kBounds},
       {"million_samples_s", "1 M samples",
        [](auto& t) {
          return cell_if(t.seconds_per_million, [](double seconds) { return Seconds(seconds); });
        }},
       {"million_samples_usd", "cost",
        [](auto& t) {
          return cell_if(t.dollars_per_million, [](double usd) { return Number{usd, 4}; });
        },
        kOptional},
       {"outcome", "", [](auto& t) { return outcome_kind(t.row->run->outcome); }},
       {"reason", "remark", [](auto& t) { return text_cell(t.reason); }, kOptional},
       {"run", "run", [](auto& t) { return t.row->run->context.id; }, spare(1)}},
      all);
  table.answer = answer_from(all);
  return table;
}

}  // namespace lapcast
