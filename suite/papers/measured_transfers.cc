#include "suite/papers/measured_transfers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <span>
#include <utility>

#include "core/units.h"
#include "run/json_object.h"
#include "run/json_reader.h"
#include "stats/intervals.h"
#include "stats/two_samples.h"
#include "suite/papers/study.h"

namespace lapcast {
namespace {

constexpr int kMostDepth = 4;  // the document has 3
constexpr double kMega = 1e6;
constexpr double kBits = 8;
constexpr double kBytesOfIperfMega = 1048576;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Mirrors the document of a transfer.
struct Document {
  MeasuredTransfer transfer;
  std::string way, target;
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
  static JsonProblem read(const Node& node, SentUpTo& second) {
    const auto fields = [](auto& reader, SentUpTo& value) {
      reader.required("second", value.second);
      reader.required("sent_bytes", value.sent_bytes);
    };
    return read_object(node, fields, second);
  }
  static JsonProblem read(const Node& node, FilesOfSize& size) {
    const auto fields = [](auto& reader, FilesOfSize& value) {
      reader.required("up_to_bytes", value.up_to_bytes);
      reader.required("files", value.files);
    };
    if (node.is_object() && node.contains("made_files") && !node["made_files"].is_null())
      if (JsonProblem problem = read(node["made_files"], size.made_files.emplace());
          !problem.empty())
        return ".made_files" + problem;
    return read_object(node, fields, size);
  }
  static JsonProblem read_link(const Node& node, Document& document) {
    const auto fields = [](auto& reader, MeasuredTransfer& value) {
      reader.required("host", value.host);
      reader.required("sent_bytes", value.sent_bytes);
      reader.required("time_s", value.time);
    };
    document.transfer.is_link = true;
    const JsonProblem problem = read_object(node, fields, document.transfer);
    return problem.empty() ? problem : ".transfer_link" + problem;
  }
  static JsonProblem read(const Node& node, Document& document) {
    const auto course = [](auto& reader, Document& value) {
      reader("transfer_seconds", value.transfer.seconds);
      reader("transfer_sizes", value.transfer.sizes);
    };
    if (JsonProblem problem = read_object(node, course, document); !problem.empty()) return problem;
    if (node.is_object() && node.contains("transfer_link"))
      return read_link(node["transfer_link"], document);
    if (!node.is_object() || !node.contains("transfer")) return ".transfer is missing";
    const auto fields = [](auto& reader, Document& value) {
      reader.required("way", value.way);
      reader("target", value.target);
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

/// Returns by how much b takes less time than a, in percent.
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

/// Makes the figures for which there are transfers.
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
  /// Adds the ratio of the values to those of the figure of `of`.
  void ratio(const std::string& more, const char* quantity, const std::vector<double>& values,
             const Transfers& of, const FigureOf& figure) {
    if (const auto times = speed_up(values, values_of(of, figure)))
      add("5", "preparation raw" + more, quantity, "ratio", *times, of);
  }
  std::vector<MeasuredFigure> take() { return std::move(figures_); }

 private:
  void add(const char* table, const std::string& row, const char* quantity, const char* unit,
           const Interval<double>& measured, const Transfers& of) {
    const std::string printed = row.substr(0, row.find(','));  // "preparation raw, parallel"
    figures_.push_back(
        {table, row, quantity, unit, fact_.find_if(printed, quantity), measured, of.size()});
  }

  PaperFacts fact_{kunas_csv()};
  std::vector<MeasuredFigure> figures_;
};

using AreLike = bool (*)(const MeasuredTransfer& a, const MeasuredTransfer& b);

bool have_same_files(const MeasuredTransfer& a, const MeasuredTransfer& b) {
  return a.files == b.files && a.bytes == b.bytes && a.host == b.host;
}

/// Names two transfers that differ, the first one among them; nullopt if all are alike.
std::optional<std::string> why_unlike(const Transfers& transfers, AreLike are_alike) {
  for (const MeasuredTransfer& one : transfers)
    if (!are_alike(transfers.front(), one))
      return fmt::format(
          "{} ({}, {:.6g} MB) and {} ({}, {:.6g} MB) cannot be averaged: leave one of them out",
          printable(transfers.front().name), in_words(transfers.front()),
          megabytes(transfers.front()), printable(one.name), in_words(one), megabytes(one));
  return std::nullopt;
}

/// Adds table 5.1: the link alone. iperf counts megabytes of 2^20 bytes.
void add_link(Figures& figures, const Transfers& links) {
  const char* row = "iperf local-to-cloud";
  figures.mean("5.1", row, "interval", "s", links, elapsed);
  figures.mean("5.1", row, "transferred", "MB", links, [](const MeasuredTransfer& one) {
    return static_cast<double>(one.sent_bytes) / kBytesOfIperfMega;
  });
  figures.mean("5.1", row, "bandwidth", "Mbit/s", links, [](const MeasuredTransfer& one) {
    return sent_megabytes(one) * kBits / elapsed(one);
  });
}

/// Adds the bandwidths with one and with several workers, which are not averaged.
void add_bandwidths(Figures& figures, const std::string& more, const Transfers& raw,
                    const Transfers& prepared) {
  figures.mean("5", "preparation raw" + more, "bandwidth", "Mbit/s", raw, sent_megabits_per_second);
  figures.mean("5", "preparation prepared" + more, "bandwidth", "Mbit/s", prepared,
               sent_megabits_per_second);
  figures.ratio(more, "bandwidth ratio", values_of(raw, sent_megabits_per_second), prepared,
                sent_megabits_per_second);
}

/// Adds the figures of chapter 5 on preparing; returns which transfers are not alike.
std::optional<std::string> add_preparation(Figures& figures, const Transfers& prepared) {
  const auto group = [&](bool here, bool parallel) {
    return those(prepared, [=](const MeasuredTransfer& one) {
      return prepares_here(*one.way) == here && (one.workers > 1) == parallel;
    });
  };
  struct Group {
    std::string row;
    Transfers transfers;
  };
  const Group here_parallel{"preparation local-parallel", group(true, true)};
  const Group here_sequential{"preparation local-sequential", group(true, false)};
  const Group there_parallel{"preparation cloud-parallel", group(false, true)};
  const Group there_sequential{"preparation cloud-sequential", group(false, false)};
  const Group* groups[] = {&here_parallel, &here_sequential, &there_parallel, &there_sequential};
  for (const Group* one : groups)
    if (auto problem = why_unlike(one->transfers, are_like)) return problem;
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
  const Transfers here = those(prepared, [](const auto& one) { return prepares_here(*one.way); });
  figures.mean("5", "preparation raw", "size", "MB", prepared, megabytes);
  figures.mean("5", "preparation prepared", "size", "MB", here, sent_megabytes);
  figures.ratio("", "size ratio", values_of(here, megabytes), here, sent_megabytes);
  add_bandwidths(figures, ", one at a time", there_sequential.transfers, here_sequential.transfers);
  add_bandwidths(figures, ", in parallel", there_parallel.transfers, here_parallel.transfers);
  return std::nullopt;
}

}  // namespace

Result<MeasuredTransfer> parse_measured_transfer(std::string_view json) {
  auto document = read_json_object<TransferReader, Document>(json, kMostDepth);
  if (!document) return because(document.error().text);
  MeasuredTransfer& transfer = document->transfer;
  if (transfer.is_link)
    return transfer.sent_bytes < 1 || !(transfer.time.count() > 0)
               ? because("it counts nothing that was sent, or no time")
               : Result<MeasuredTransfer>(std::move(transfer));
  transfer.way = transfer_way_named(document->way);
  if (!transfer.way && document->way != "send")
    return because("the way is '" + printable(document->way, 40) + "', which is none");
  if (transfer.workers < 1 || transfer.files < 1 || transfer.bytes < 1 || transfer.sent_bytes < 1 ||
      !(transfer.time.count() > 0) || !(transfer.send.count() > 0))
    return because("it counts nothing that was sent, or no time");
  if (document->resumed_files > 0)
    return because("it went on after an earlier command, and so has no time of its own");
  if (document->prepared_files != transfer.files) return because("it left files out");
  const std::size_t colon = document->target.find(':');
  if (colon < document->target.find('/')) transfer.host = document->target.substr(0, colon);
  return transfer;
}

bool are_like(const MeasuredTransfer& a, const MeasuredTransfer& b) {
  return a.is_link == b.is_link && a.way == b.way && a.host == b.host &&
         (!a.way || a.workers == b.workers) && a.files == b.files && a.bytes == b.bytes;
}

std::string in_words(const MeasuredTransfer& transfer) {
  const std::string to = transfer.host.empty() ? "" : " to " + printable(transfer.host, 40);
  if (transfer.is_link) return "link" + to;
  const std::string files = fmt::format("{} files{}", transfer.files, to);
  if (!transfer.way) return "send " + files;
  return fmt::format("{}, {} at a time, {}", to_string(*transfer.way), transfer.workers, files);
}

Result<std::vector<MeasuredFigure>> kunas_transfers(
    const std::vector<MeasuredTransfer>& transfers) {
  Figures figures;
  const auto of_link = [](const MeasuredTransfer& one) { return one.is_link; };
  const auto only_sent = [](const MeasuredTransfer& one) { return !one.is_link && !one.way; };
  const Transfers links = those(transfers, of_link);
  const Transfers sent = those(transfers, only_sent);
  const Transfers prepared = those(transfers, [](const auto& one) { return one.way.has_value(); });
  if (const auto problem = why_unlike(links, are_like)) return because(*problem);
  if (const auto problem = why_unlike(sent, are_like)) return because(*problem);
  if (const auto problem = why_unlike(prepared, have_same_files)) return because(*problem);
  add_link(figures, links);
  if (const auto problem = add_preparation(figures, prepared)) return because(*problem);
  figures.mean("6.1", "ic-dr data set", "transfer time", "s", sent, elapsed);
  figures.mean("6.1", "ic-dr data set", "transfer rate", "MB/s", sent,
               [](const MeasuredTransfer& one) { return sent_megabytes(one) / elapsed(one); });
  figures.mean("6.1", "ic-dr data set", "transferred", "MB", sent, sent_megabytes);
  return figures.take();
}

}  // namespace lapcast
