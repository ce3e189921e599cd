#include "papers/measured_transfers.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <span>
#include <utility>

#include "papers/study.h"
#include "run/json_object.h"
#include "run/json_reader.h"
#include "stats/intervals.h"
#include "stats/two_samples.h"

namespace lapcast {
namespace {

constexpr int kMostDepth = 4;  // the document has 3
constexpr double kMega = 1e6;
constexpr double kBits = 8;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Holds the document of a transfer as it is written.
struct Document {
  MeasuredTransfer transfer;
  std::string way;
  std::int64_t prepared_files = 0;
  std::int64_t resumed_files = 0;
};

class TransferReader : public JsonReader<TransferReader> {
 public:
  using JsonReader::JsonReader;
  using JsonReader::read;

  static JsonProblem read(const Node& node, MeasuredTransfer& transfer) {
    const auto fields = [](auto& reader, MeasuredTransfer& value) {
      reader.required("workers", value.workers);
      reader.required("files", value.files);
      reader.required("bytes", value.bytes);
      reader.required("sent_bytes", value.sent_bytes);
      reader.required("send_s", value.send);
      reader.required("time_s", value.time);
    };
    return read_object(node, fields, transfer);
  }
  static JsonProblem read(const Node& node, Document& document) {
    if (!node.is_object() || !node.contains("transfer")) return ".transfer is missing";
    const auto fields = [](auto& reader, Document& value) {
      reader.required("way", value.way);
      reader.required("prepared_files", value.prepared_files);
      reader.required("resumed_files", value.resumed_files);
    };
    JsonProblem problem = read(node["transfer"], document.transfer);
    if (problem.empty()) problem = read_object(node["transfer"], fields, document);
    return problem.empty() ? problem : ".transfer" + problem;
  }
};

using Transfers = std::vector<MeasuredTransfer>;
using FigureOf = std::function<double(const MeasuredTransfer&)>;

std::vector<double> values_of(const Transfers& transfers, const FigureOf& figure) {
  std::vector<double> values;
  std::ranges::transform(transfers, std::back_inserter(values), figure);
  return values;
}

double elapsed(const MeasuredTransfer& transfer) {
  return transfer.time.count();
}
double images_per_second(const MeasuredTransfer& transfer) {
  return static_cast<double>(transfer.files) / transfer.time.count();
}
double sent_megabytes(const MeasuredTransfer& transfer) {
  return static_cast<double>(transfer.sent_bytes) / kMega;
}
double megabytes(const MeasuredTransfer& transfer) {
  return static_cast<double>(transfer.bytes) / kMega;
}
double sent_megabits_per_second(const MeasuredTransfer& transfer) {
  return sent_megabytes(transfer) * kBits / transfer.send.count();
}

/// Returns how much less time b takes than a, in percent.
std::optional<Interval<double>> gain_percent(const Transfers& a, const Transfers& b) {
  const auto faster = speed_up(values_of(a, elapsed), values_of(b, elapsed));
  if (!faster) return std::nullopt;
  const auto percent = [](double times) { return 100 * (1 - 1 / times); };
  return Interval<double>{percent(faster->low), percent(faster->mid), percent(faster->high)};
}

Transfers those(const Transfers& transfers,
                const std::function<bool(const MeasuredTransfer&)>& meet) {
  Transfers chosen;
  std::ranges::copy_if(transfers, std::back_inserter(chosen), meet);
  return chosen;
}

/// Makes the figures that some transfer has.
class Figures {
 public:
  void mean(const char* table, const std::string& row, const char* quantity, const char* unit,
            const Transfers& of, const FigureOf& figure) {
    const auto values = values_of(of, figure);
    if (values.empty()) return;
    const auto one = Interval<double>::exactly(values[0]);
    const auto interval = cut_to_range(mean_interval(values), 0, kInfinity);
    add(table, row, quantity, unit, values.size() == 1 ? one : interval, of);
  }
  void gain(const std::string& row, const char* quantity, const Transfers& slow,
            const Transfers& fast) {
    if (const auto percent = gain_percent(slow, fast))
      add("5", row, quantity, "percent", *percent, fast);
  }
  /// Adds how many times as large the values are as those of the other figure of `of`.
  void ratio(const char* quantity, const std::vector<double>& values, const Transfers& of,
             const FigureOf& figure) {
    if (const auto times = speed_up(values, values_of(of, figure)))
      add("5", "preparation raw", quantity, "ratio", *times, of);
  }
  std::vector<MeasuredFigure> take() { return std::move(figures_); }

 private:
  void add(const char* table, const std::string& row, const char* quantity, const char* unit,
           const Interval<double>& measured, const Transfers& of) {
    figures_.push_back(
        {table, row, quantity, unit, fact_.find_if(row, quantity), measured, of.size()});
  }

  PaperFacts fact_{kunas_csv()};
  std::vector<MeasuredFigure> figures_;
};

}  // namespace

Result<MeasuredTransfer> parse_measured_transfer(std::string_view json) {
  auto document = read_json_object<TransferReader, Document>(json, kMostDepth);
  if (!document) return because(document.error().text);
  MeasuredTransfer& transfer = document->transfer;
  transfer.way = transfer_way_named(document->way);
  if (!transfer.way && document->way != "send")
    return because("the way is '" + printable(document->way, 40) + "', which is none");
  if (transfer.workers < 1 || transfer.files < 1 || transfer.bytes < 1 || transfer.sent_bytes < 1 ||
      !(transfer.time.count() > 0) || !(transfer.send.count() > 0))
    return because("it counts nothing that was sent, or no time");
  if (document->resumed_files > 0)
    return because("it went on after an earlier command, and so has no time of its own");
  if (document->prepared_files != transfer.files) return because("it left files out");
  return transfer;
}

std::vector<MeasuredFigure> kunas_transfers(const std::vector<MeasuredTransfer>& transfers) {
  Figures figures;
  const auto prepared = [&](bool is_here) {
    return those(transfers, [is_here](const MeasuredTransfer& one) {
      return one.way && prepares_here(*one.way) == is_here;
    });
  };
  const Transfers here = prepared(true);
  const Transfers there = prepared(false);
  const auto with_workers = [](const Transfers& all, bool parallel) {
    return those(all,
                 [parallel](const MeasuredTransfer& one) { return (one.workers > 1) == parallel; });
  };
  struct Group {
    std::string row;
    Transfers transfers;
  };
  const Group here_parallel{"preparation local-parallel", with_workers(here, true)};
  const Group here_sequential{"preparation local-sequential", with_workers(here, false)};
  const Group there_parallel{"preparation cloud-parallel", with_workers(there, true)};
  const Group there_sequential{"preparation cloud-sequential", with_workers(there, false)};
  const Group* groups[] = {&here_parallel, &here_sequential, &there_parallel, &there_sequential};
  for (const Group* one : groups)
    figures.mean("5.2", one->row, "throughput", "images/s", one->transfers, images_per_second);
  for (const Group* one : groups)
    figures.mean("5", one->row, "elapsed", "s", one->transfers, elapsed);
  for (const auto& [sequential, parallel] :
       {std::pair(&here_sequential, &here_parallel), std::pair(&there_sequential, &there_parallel)})
    figures.gain(parallel->row, "gain", sequential->transfers, parallel->transfers);
  for (const auto& [cloud, local] :
       {std::pair(&there_sequential, &here_sequential), std::pair(&there_parallel, &here_parallel)})
    figures.gain(local->row, "gain over cloud", cloud->transfers, local->transfers);
  figures.mean("5", "preparation raw", "size", "MB", here.empty() ? there : here, megabytes);
  figures.mean("5", "preparation prepared", "size", "MB", here, sent_megabytes);
  figures.ratio("size ratio", values_of(here, megabytes), here, sent_megabytes);
  figures.mean("5", "preparation raw", "bandwidth", "Mbit/s", there, sent_megabits_per_second);
  figures.mean("5", "preparation prepared", "bandwidth", "Mbit/s", here, sent_megabits_per_second);
  figures.ratio("bandwidth ratio", values_of(there, sent_megabits_per_second), here,
                sent_megabits_per_second);
  const Transfers sent = those(transfers, [](const MeasuredTransfer& one) { return !one.way; });
  figures.mean("6.1", "ic-dr data set", "transfer time", "s", sent, elapsed);
  figures.mean("6.1", "ic-dr data set", "transfer rate", "MB/s", sent,
               [](const MeasuredTransfer& one) { return sent_megabytes(one) / elapsed(one); });
  figures.mean("6.1", "ic-dr data set", "transferred", "MB", sent, sent_megabytes);
  return figures.take();
}

}  // namespace lapcast
