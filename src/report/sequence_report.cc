#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/units.h"
#include "extrapolate/length_line.h"
#include "report/memory_report.h"

namespace lapcast {
namespace {

/// Is what one meter of a run says of longer sequences.
struct SequenceRow {
  std::string machine;
  std::string run;
  SequenceNeed need;

  std::string verdict() const {
    const bool is_known = need.line && need.most > 0 && need.memory_bytes > 0;
    return is_known ? need.in_words() : "";
  }
};

/// Returns whether a length is asked for or may come, and what it needs is known.
bool has_length(const SequenceRow& row) {
  return row.need.line && row.need.most > 0;
}

std::string reason_of(const SequenceRow& row) {
  if (!row.need.line) return row.need.line.error().text;
  if (row.need.most == 0) return "how long the sequences may get is not known: --length N";
  return row.need.most <= row.need.longest ? "the longest was seen" : "";
}

Cell needs_cell(const SequenceRow& row) {
  if (!has_length(row)) return {};
  const auto text = [](double bytes) { return format_bytes(std::llround(bytes)); };
  const Interval<double>& needed = row.need.needed_bytes;
  return fmt::format("{} ({} to {})", text(needed.mid), text(needed.low), text(needed.high));
}

Cell bytes_or_none(std::int64_t bytes) {
  return bytes > 0 ? Cell(Bytes{bytes}) : Cell();
}

Table table_of_rows(const std::vector<SequenceRow>& rows) {
  using Row = SequenceRow;
  Table table = table_of<Row>(
      "sequence_memory", "Memory by the length of sequences",
      {{"machine_type", "machine", &Row::machine},
       {"run", "run", &Row::run, spare(1)},
       {"meter", "", [](auto& r) { return to_string(r.need.meter); }},
       {"", "memory", [](auto& r) { return in_words(r.need.meter); }},
       {"counts", "", [](auto& r) { return r.need.by_tokens ? "tokens" : "positions"; }},
       {"lengths", "", [](auto& r) { return r.need.lengths; }},
       {"longest_length", "longest seen", [](auto& r) { return r.need.longest; }},
       {"peak_bytes", "peak with it", [](auto& r) { return bytes_or_none(r.need.peak_bytes); }},
       {"most_length", "may be",
        [](auto& r) { return r.need.most > 0 ? cell_of(r.need.most) : Cell(); }},
       {"most_from", "by", [](auto& r) { return text_cell(r.need.most_from); }, kOptional},
       {"estimate_bytes", "",
        [](auto& r) { return has_length(r) ? cell_of(r.need.needed_bytes) : Cell(); }, kBounds},
       {"", "needs", needs_cell},
       {"memory_bytes", "of", [](auto& r) { return bytes_or_none(r.need.memory_bytes); }},
       {"verdict", "", [](auto& r) { return text_cell(r.verdict()); }},
       {"reason", "remark", [](auto& r) { return text_cell(reason_of(r)); }, kOptional}},
      rows);
  for (const Row& row : rows)
    if (const std::string verdict = row.verdict(); !verdict.empty())
      table.answer.push_back(
          fmt::format("{}: {} {}", row.machine, in_words(row.need.meter), verdict));
  table.only_json = rows.empty();
  return table;
}

}  // namespace

Table sequence_memory_table(std::span<const Run> runs, const MemoryQuestion& question) {
  std::vector<SequenceRow> rows;
  for (const Run& run : runs) {
    if (was_imported(run.context)) continue;
    const auto log = laps_of(run);
    const SequencesSeen& seen = log->sequences;
    if (seen.peaks.empty()) continue;
    const std::vector<MeteredMemory> memories = memory_of(run, *log);
    const bool on_device = seen.peaks.back().device_bytes > 0;
    for (SequenceNeed& need : sequence_needs(seen, memories, question.length)) {
      // The memory that is asked for is that of the GPU, if there is one.
      if (question.in_bytes && on_device != (need.meter == MemoryMeter::allocator)) continue;
      if (question.in_bytes) need.memory_bytes = *question.in_bytes;
      rows.push_back({run.context.machine_type.name, run.context.id, std::move(need)});
    }
  }
  return table_of_rows(rows);
}

}  // namespace lapcast
