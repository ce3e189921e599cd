#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/units.h"
#include "report/memory_report.h"

namespace lapcast {
namespace {

constexpr std::array kMeters{MemoryMeter::process, MemoryMeter::allocator, MemoryMeter::driver};

std::string program_name(const MemoryByBatch& program) {
  return program.processes == 1 ? program.name
                                : fmt::format("{}, {} processes", program.name, program.processes);
}

struct UseRow {
  const MemoryByBatch* program;
  const MemoryUse* use;

  Cell bytes(MemoryMeter meter) const {
    return cell_if(use->peak(meter), [](std::int64_t count) { return Bytes{count}; });
  }
  Cell share(MemoryMeter meter, std::int64_t of) const {
    const auto peak = use->peak(meter);
    if (!peak || of <= 0) return {};
    return Percentage{static_cast<double>(*peak) / static_cast<double>(of)};
  }
};

Table uses_table(std::span<const MemoryByBatch> programs) {
  std::vector<UseRow> rows;
  for (const MemoryByBatch& program : programs)
    for (const MemoryUse& use : program.uses) rows.push_back({&program, &use});
  const auto bytes = [](MemoryMeter meter) {
    return [meter](const UseRow& row) { return row.bytes(meter); };
  };
  return table_of<UseRow>(
      "memory_used", "Peaks of memory by batch",
      {{"machine_type", "machine", [](auto& r) { return program_name(*r.program); }},
       {"batch", "batch", [](auto& r) { return r.use->batch; }},
       {"peak_memory_bytes", "main memory", bytes(MemoryMeter::process)},
       {"memory_share", "of all",
        [](auto& r) { return r.share(MemoryMeter::process, r.program->main_bytes); }, kOptional},
       {"peak_device_memory_bytes", "GPU, allocator", bytes(MemoryMeter::allocator), kOptional},
       {"peak_driver_memory_bytes", "GPU, driver", bytes(MemoryMeter::driver), kOptional},
       {"gpu_memory_share", "of all",
        [](auto& r) { return r.share(MemoryMeter::driver, r.program->device_bytes); }, kOptional},
       {"reason", "remark", [](auto& r) { return text_cell(r.use->reason); }, kOptional},
       {"run", "run", [](auto& r) { return text_cell(r.use->run); }, spare(1)}},
      rows);
}

struct LineRow {
  std::string name;
  MemoryMeter meter;
  Result<MemoryLine> line;
};

Cell shown_bytes(const Interval<double>& bytes) {
  return fmt::format("{} ({} to {})", format_bytes(std::llround(bytes.mid)),
                     format_bytes(std::llround(bytes.low)), format_bytes(std::llround(bytes.high)));
}

Table lines_table(std::span<const MemoryByBatch> programs) {
  std::vector<LineRow> rows;
  for (const MemoryByBatch& program : programs)
    for (const MemoryMeter meter : kMeters)
      if (std::ranges::any_of(program.uses, [&](auto& use) { return use.peak(meter).has_value(); }))
        rows.push_back({program_name(program), meter, program.line(meter)});
  const auto of_line = [](auto value) {
    return [value](const LineRow& row) { return cell_if(row.line, value); };
  };
  const auto fixed = [](const MemoryLine& line) { return line.at(0); };
  const auto sample = [](const MemoryLine& line) { return line.of_a_sample(); };
  return table_of<LineRow>(
      "memory_lines", "Lines through the peaks",
      {{"machine_type", "machine", &LineRow::name},
       {"meter", "", [](auto& r) { return to_string(r.meter); }},
       {"", "memory", [](auto& r) { return in_words(r.meter); }},
       {"fixed_bytes", "", of_line(fixed), kBounds},
       {"", "whatever the batch", of_line([=](auto& line) { return shown_bytes(fixed(line)); })},
       {"bytes_of_a_sample", "", of_line(sample), kBounds},
       {"", "each sample", of_line([=](auto& line) { return shown_bytes(sample(line)); })},
       {"reason", "remark",
        [](auto& r) { return text_cell(r.line ? "" : "no line: " + r.line.error().text); },
        kOptional}},
      rows);
}

/// Is one question: a batch (0 = the largest) of a program in a memory.
struct FitRow {
  std::string name;
  std::int64_t memory_bytes = 0;
  bool on_device = false;
  BatchesThatFit fits;
  std::int64_t batch = 0;

  std::string memory_text() const {
    return fmt::format("{} of {}", format_bytes(memory_bytes),
                       on_device ? "GPU memory" : "main memory");
  }
};

Table batches_table(const std::vector<FitRow>& rows) {
  Table table = table_of<FitRow>(
      "memory_forecast", "What batches need",
      {{"machine_type", "machine", &FitRow::name},
       {"batch", "batch", &FitRow::batch},
       {"meter", "", [](auto& r) { return to_string(r.fits.meter()); }},
       {"estimate_bytes", "", [](auto& r) { return r.fits.fit(r.batch).needed_bytes; }, kBounds},
       {"", "needs", [](auto& r) { return shown_bytes(r.fits.fit(r.batch).needed_bytes); }},
       {"memory_bytes", "memory", [](auto& r) { return Bytes{r.memory_bytes}; }},
       {"fits_chance", "fits", [](auto& r) { return Chance{r.fits.fit(r.batch).chance}; }}},
      rows);
  table.only_json = rows.empty();
  return table;
}

Table largest_table(const std::vector<FitRow>& rows) {
  Table table = table_of<FitRow>(
      "largest_batches", "Largest batch that fits",
      {{"machine_type", "machine", &FitRow::name},
       {"memory_of", "memory of", [](auto& r) { return r.on_device ? "GPU" : "machine"; }},
       {"memory_bytes", "memory", [](auto& r) { return Bytes{r.memory_bytes}; }},
       {"largest_batch", "97.5 % sure", [](auto& r) { return r.fits.largest(); }},
       {"likely_batch", "as likely as not", [](auto& r) { return r.fits.largest_likely(); }},
       {"meter", "", [](auto& r) { return to_string(r.fits.meter()); }},
       {"how", "by", [](auto& r) { return in_words(r.fits.meter()); }}},
      rows);
  if (!rows.empty())
    table.notes.push_back(
        fmt::format("{} of the memory are left free", format_share(1 - kUsableShare)));
  return table;
}

std::string answer_to(const FitRow& row) {
  if (row.batch == 0)
    return fmt::format("{}: the largest batch that fits in {} is {} (97.5 % sure)", row.name,
                       row.memory_text(), row.fits.largest());
  const BatchFit fit = row.fits.fit(row.batch);
  return fmt::format("{}: batch {} needs {} and {} in {} ({} sure)", row.name, row.batch,
                     format_bytes(std::llround(fit.needed_bytes.mid)),
                     fit.chance >= 0.5 ? "fits" : "does not fit", row.memory_text(),
                     format_chance(std::max(fit.chance, 1 - fit.chance)));
}

/// Is a memory that the question is about.
struct AskedMemory {
  std::int64_t bytes = 0;
  bool on_device = false;
};

std::vector<AskedMemory> memories_of(const MemoryByBatch& program, const MemoryQuestion& question) {
  if (question.in_bytes) return {{*question.in_bytes, program.on_device()}};
  std::vector<AskedMemory> memories;
  if (program.device_bytes > 0 && program.on_device())
    memories.push_back({program.device_bytes, true});
  if (program.main_bytes > 0) memories.push_back({program.main_bytes, false});
  return memories;
}

}  // namespace

std::vector<Table> memory_forecast_tables(std::span<const MemoryByBatch> programs,
                                          const MemoryQuestion& question) {
  std::vector<FitRow> largest, asked;
  std::vector<std::string> answer, notes;
  for (const MemoryByBatch& program : programs)
    for (const AskedMemory& memory : memories_of(program, question)) {
      const auto fits = BatchesThatFit::in(program, memory.on_device, memory.bytes);
      if (!fits) {
        notes.push_back(fmt::format("{}: no forecast of {} memory: {}", program_name(program),
                                    memory.on_device ? "GPU" : "main", fits.error().text));
        continue;
      }
      largest.push_back({program_name(program), memory.bytes, memory.on_device, *fits});
      for (const std::int64_t batch : question.batches) {
        asked.push_back(largest.back());
        asked.back().batch = batch;
        answer.push_back(answer_to(asked.back()));
      }
      answer.push_back(answer_to(largest.back()));
    }
  if (question.in_bytes && std::ranges::none_of(programs, &MemoryByBatch::on_device) &&
      !programs.empty())
    notes.push_back(
        "this is main memory: what a program takes on CPUs says nothing of a GPU's memory");
  std::vector<Table> tables{uses_table(programs), lines_table(programs), batches_table(asked),
                            largest_table(largest)};
  tables.front().answer = std::move(answer);
  std::ranges::move(notes, std::back_inserter(tables.front().notes));
  return tables;
}

}  // namespace lapcast
