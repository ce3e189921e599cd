#include "suite/transfer/transfer_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/units.h"
#include "report/answer.h"

namespace lapcast {
namespace {

constexpr std::size_t kMostSeconds = 1000;  // rows of seconds in JSON

Number per_second(double amount, Seconds time) {
  return {time.count() > 0 ? amount / time.count() : 0, -1};
}

std::string link_text(double bytes_per_s) {
  return format_number(bytes_per_s * 1e-6) + " MB/s";
}

std::string transfer_in_words(const TransferResult& result) {
  std::string text = fmt::format("{} of {} files ({}) are on {} after {}", result.prepared_files,
                                 result.files, format_bytes(result.bytes), printable(result.target),
                                 format_duration(result.time));
  if (result.prepared_files < result.files)
    text += fmt::format("; {} were not prepared", result.files - result.prepared_files);
  return text;
}

Table way_table(const TransferForecast& forecast) {
  using Row = WayForecast;
  Table table = table_of<Row>(
      "transfer_ways", "Ways",
      {{"way", "", [](const Row& row) { return to_string(row.way); }},
       {"", "way", [](const Row& row) { return in_words(row.way); }},
       {"prepare_s", "prepare", &Row::prepare, spare(2)},
       {"send_s", "send", &Row::send, spare(1)},
       {"time_s", "time", &Row::time, kBounds},
       {"time_with_training_s", "with the training",
        [&](const Row& row) {
          return forecast.has_training ? Cell(row.time_with_training) : Cell();
        },
        kBounds | kOptional},
       {"cost_usd", "cost", &Row::cost, kBounds | kOptional},
       {"fastest", "fastest", [](const Row& row) { return Chance{row.fastest}; }},
       {"cheapest", "cheapest",
        [](const Row& row) { return row.cost ? Cell(Chance{row.cheapest}) : Cell(); }, kOptional}},
      forecast.ways);
  return table;
}

const WayForecast& best_of(const std::vector<WayForecast>& ways, bool by_cost) {
  return *std::ranges::min_element(ways, [&](const WayForecast& a, const WayForecast& b) {
    return by_cost && a.cost
               ? std::pair(a.cost->mid, a.time.mid) < std::pair(b.cost->mid, b.time.mid)
               : a.time.mid < b.time.mid;
  });
}

AnswerRow answer_row(const char* what, const WayForecast& way, double chance) {
  return {what, std::string(in_words(way.way)), way.cost ? dollar_text(way.cost->mid) : "",
          format_duration(way.time.mid), format_chance(chance) + " sure"};
}

Table sample_table(const TransferForecast& forecast) {
  const TransferSample& sample = forecast.sample;
  const auto rate = [&](const PreparingCost& cost) {
    const auto seconds = cost.worker_seconds(forecast.size);
    return Number{static_cast<double>(forecast.size.files) * cost.workers / seconds.mid, -1};
  };
  const auto unit = [](const PreparingCost& cost) {
    return fmt::format("{} at a time; counted by {}", cost.workers,
                       cost.per_byte ? "bytes" : "files");
  };
  return figure_table("transfer_sample", "What the sample shows",
                      {{"target", "", forecast.target},
                       {"files", "files in all", cell_of(forecast.size.files)},
                       {"bytes", "bytes in all", Bytes{forecast.size.bytes}},
                       {"piece_files", "files in a piece", cell_of(forecast.size.piece_files)},
                       {"sampled_files", "files of the sample", cell_of(forecast.sampled_files)},
                       {"sampled_bytes", "bytes of the sample", Bytes{forecast.sampled_bytes}},
                       {"sampling_s", "time of the sample", forecast.sampling},
                       {"prepared_here_per_second", "prepared here per second",
                        rate(sample.prepare_here), unit(sample.prepare_here)},
                       {"prepared_there_per_second", "prepared there per second",
                        rate(sample.prepare_there), unit(sample.prepare_there)},
                       {"prepared_share", "bytes after preparing",
                        interval_of(sample.prepared_bytes), "of one byte before"},
                       {"sent_bytes_per_second", "", Number{1 / sample.send_byte_s.ratio, 0}},
                       {"", "link", link_text(1 / sample.send_byte_s.ratio), "of files"},
                       {"call_s", "one call that sends nothing", Seconds{sample.send_call_s}}});
}

/// Returns the totals at the end of seconds for JSON, in at most kMostSeconds rows.
Table second_table(const std::vector<TransferSecond>& seconds) {
  struct Row {
    std::size_t second;
    TransferSecond sum;
  };
  const std::size_t step = (seconds.size() + kMostSeconds - 1) / kMostSeconds;
  std::vector<Row> rows;
  for (std::size_t i = 0; i < seconds.size(); ++i)
    if ((i + 1) % step == 0 || i + 1 == seconds.size()) rows.push_back({i + 1, seconds[i]});
  Table table =
      table_of<Row>("transfer_seconds", "",
                    {{"second", "", &Row::second},
                     {"sent_bytes", "", [](const Row& row) { return row.sum.sent_bytes; }},
                     {"sent_files", "", [](const Row& row) { return row.sum.sent_files; }},
                     {"prepared_files", "", [](const Row& row) { return row.sum.prepared_files; }}},
                    rows);
  table.only_json = true;
  return table;
}

/// Returns the number of files of each size for JSON. `made` says whether sizes of prepared files
/// are known.
Table size_table(const std::vector<SizeCount>& sizes, bool made) {
  Table table = table_of<SizeCount>(
      "transfer_sizes", "",
      {{"up_to_bytes", "", &SizeCount::up_to_bytes},
       {"files", "", &SizeCount::files},
       {"made_files", "",
        [made](const SizeCount& size) { return made ? cell_of(size.made_files) : Cell(); }}},
      sizes);
  table.only_json = true;
  return table;
}

}  // namespace

std::vector<Table> link_tables(const LinkResult& result) {
  const double rate = static_cast<double>(result.sent_bytes) / result.time.count();
  Table table = figure_table(
      "transfer_link", "Link",
      {{"host", "to", result.host},
       {"sent_bytes", "sent", Bytes{result.sent_bytes}},
       {"time_s", "time", result.time},
       {"bytes_per_second", "", Number{rate, 0}},
       {"", "bandwidth", format_number(rate * 8e-6) + " Mbit/s", "random bytes over ssh"}});
  table.answer = {fmt::format("{} to {} in {}: {} Mbit/s", format_bytes(result.sent_bytes),
                              printable(result.host), format_duration(result.time),
                              format_number(rate * 8e-6))};
  return {std::move(table), second_table(result.seconds)};
}

std::vector<Table> transfer_tables(const TransferResult& result) {
  Table table = figure_table(
      "transfer", "Transfer",
      {{"way", "way", result.way},
       {"target", "to", result.target},
       {"workers", "prepared at the same time", cell_of(result.workers)},
       {"files", "files", cell_of(result.files)},
       {"bytes", "bytes", Bytes{result.bytes}},
       {"prepared_files", "of them prepared and sent", cell_of(result.prepared_files)},
       {"made_files", "files that were sent or made there", cell_of(result.made_files)},
       {"resumed_files", "prepared before", cell_of(result.resumed_files)},
       {"sent_bytes", "sent over the link", Bytes{result.sent_bytes}},
       {"link_drops", "times that the link dropped", cell_of(result.drops)},
       {"prepare_s", "prepare", time_or_nothing(result.prepare)},
       {"send_s", "send", result.send},
       {"time_s", "time", result.time},
       {"files_per_second", "files per second",
        per_second(static_cast<double>(result.prepared_files - result.resumed_files), result.time)},
       {"sent_bytes_per_second", "bytes per second while sending",
        per_second(static_cast<double>(result.sent_bytes), result.send)},
       {"verified", "contents compared by checksum", Mark{result.verified}}});
  table.answer = {transfer_in_words(result)};
  table.notes = result.notes;
  Table failed = table_of<FailedPiece>(
      "transfer_failures", "Not prepared",
      {{"piece", "piece", &FailedPiece::piece},
       {"files", "files", [](const FailedPiece& piece) { return piece.files.size(); }},
       {"names", "names", [](const FailedPiece& piece) { return short_list(piece.files, 3); }},
       {"why", "why", &FailedPiece::why}},
      result.failed);
  failed.only_json = failed.rows.empty();
  const bool made = result.way.starts_with("here");
  return {std::move(table), std::move(failed), second_table(result.seconds),
          size_table(result.sizes, made)};
}

std::string transfer_csv(const std::vector<TransferSecond>& seconds) {
  std::string text = "second,bytes_per_second,sent_bytes,sent_files,prepared_files\n";
  TransferSecond before;
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{}\n", i + 1,
                   seconds[i].sent_bytes - before.sent_bytes, seconds[i].sent_bytes,
                   seconds[i].sent_files, seconds[i].prepared_files);
    before = seconds[i];
  }
  return text;
}

std::vector<Table> transfer_plan_tables(const TransferForecast& forecast,
                                        const std::function<std::string(TransferWay)>& command) {
  Table ways = way_table(forecast);
  const WayForecast& fastest = best_of(forecast.ways, false);
  std::vector<AnswerRow> rows{answer_row("FASTEST", fastest, fastest.fastest)};
  const WayForecast& cheapest = best_of(forecast.ways, true);
  if (cheapest.cost) rows.push_back(answer_row("CHEAPEST", cheapest, cheapest.cheapest));
  ways.answer = aligned_rows(rows);
  ways.notes = forecast.notes;
  ways.notes.push_back("next: " + command(fastest.way));
  return {std::move(ways), sample_table(forecast)};
}

}  // namespace lapcast
