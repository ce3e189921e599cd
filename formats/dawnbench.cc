#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/money.h"
#include "core/units.h"
#include "formats/imported.h"
#include "price/offer.h"

namespace lapcast {
namespace {

using nlohmann::json;

constexpr double kMostHours = 10'000;
constexpr double kMostEpochs = 1e9;
constexpr std::size_t kMostRows = 20'000;
constexpr double kNsPerHour = 3600e9;
constexpr std::size_t kMostText = 200;
constexpr double kMostPerHour = 1e6;
constexpr int kMostDepth = 64;

// The JSON ----------------------------------------------------------------------------------------

/// Mirrors the JSON of an entry; missing members are empty.
struct DawnbenchEntry {
  std::string model;
  std::string hardware;
  std::string framework;
  std::string date;  // "2018-11-06"
  std::string batch_size;
  std::optional<HourlyPrice> price;
};

std::string text_of(const json& object, const char* key) {
  const auto member = object.find(key);
  if (member == object.end() || !member->is_string()) return "";
  return printable(member->get_ref<const std::string&>(), kMostText);
}

/// Returns the price, which may be a number or a text.
std::optional<HourlyPrice> price_of(const json& object) {
  const auto member = object.find("costPerHour");
  if (member == object.end()) return std::nullopt;
  if (member->is_string()) {
    try {
      const Money price = Money::parse(member->get_ref<const std::string&>());
      return price > Money{} ? std::optional(HourlyPrice{price}) : std::nullopt;
    } catch (const Error&) {
      return std::nullopt;
    }
  }
  const double dollars = member->is_number() ? member->get<double>() : NAN;
  if (!(dollars > 0 && dollars < kMostPerHour)) return std::nullopt;
  return HourlyPrice{Money::parse(fmt::format("{:.9f}", dollars))};
}

/// Returns the batch size, which entries put into "misc" or one level deeper.
std::string batch_size_of(const json& node, int depth) {
  if (!node.is_object() || depth > 3) return "";
  for (const auto& [key, value] : node.items()) {
    if (key == "batchSize" && value.is_number_integer()) return value.dump();
    if (std::string deeper = batch_size_of(value, depth + 1); !deeper.empty()) return deeper;
  }
  return "";
}

/// Returns the reason if the text is not a JSON object. Ignores members of an unexpected type.
Result<DawnbenchEntry> parse_entry(std::string_view text) {
  const auto no_deeper = [](int depth, json::parse_event_t, const json&) {
    return depth <= kMostDepth;
  };
  const json object = json::parse(without_byte_order_mark(text), no_deeper, false);
  if (!object.is_object()) return because("it is not a JSON object");
  return DawnbenchEntry{.model = text_of(object, "model"),
                        .hardware = text_of(object, "hardware"),
                        .framework = text_of(object, "framework"),
                        .date = text_of(object, "timestamp"),
                        .batch_size = batch_size_of(object, 0),
                        .price = price_of(object)};
}

// The TSV -----------------------------------------------------------------------------------------

struct Row {
  double epoch = 0;
  std::int64_t end_ns = 0;  // since the start
  std::map<std::string, double> metrics;
};

struct Rows {
  std::vector<Row> rows;
  std::vector<std::string> problems;
};

/// Splits a line at its tabs, or at its commas if it has no tab, and trims each field.
std::vector<std::string_view> fields_of(std::string_view line) {
  const char separator = line.find('\t') == std::string_view::npos ? ',' : '\t';
  std::vector<std::string_view> fields;
  for (std::size_t begin = 0; begin <= line.size() && fields.size() < 16;) {
    const std::size_t end = std::min(line.find(separator, begin), line.size());
    std::string_view field = line.substr(begin, end - begin);
    field.remove_prefix(std::min(field.find_first_not_of(" \""), field.size()));
    fields.push_back(field.substr(0, field.find_last_not_of(" \"") + 1));
    begin = end + 1;
  }
  return fields;
}

std::optional<double> number(std::string_view text) {
  const auto value = text_as_number(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

/// Returns the name of a metric and the factor for its values: "top1Accuracy" in percent becomes
/// "val_accuracy" as a share.
std::pair<std::string, double> metric_of(std::string_view column) {
  if (column == "top1Accuracy") return {"val_accuracy", 0.01};
  if (column == "top5Accuracy") return {"val_top5_accuracy", 0.01};
  if (column == "f1Score") return {"val_f1", 0.01};
  return {std::string(column), 1};
}

class TsvReader {
 public:
  Rows read(std::string_view text) {
    text = without_byte_order_mark(text);
    while (!text.empty() && rows_.rows.size() < kMostRows) {
      const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
      if (end > 0) take_line(text.substr(0, end));
      const bool pair = text.substr(end).starts_with("\r\n");
      text.remove_prefix(std::min(text.size(), end + (pair ? 2 : 1)));
      ++line_;
    }
    if (!text.empty()) refuse("more rows than the importer takes");
    return std::move(rows_);
  }

 private:
  void refuse(const std::string& why) {
    if (rows_.problems.size() < 20)
      rows_.problems.push_back(fmt::format("line {}: {}", line_, why));
  }

  void take_line(std::string_view line) {
    const std::vector<std::string_view> fields = fields_of(line);
    if (columns_.empty()) return take_header(fields);
    Row row;
    std::optional<double> hours;
    for (std::size_t i = 0; i < columns_.size() && i < fields.size(); ++i) {
      const std::optional<double> value = number(fields[i]);
      if (columns_[i] == "epoch") {
        if (!value || !(std::abs(*value) < kMostEpochs))
          return refuse("no number in the column epoch");
        row.epoch = *value;
      } else if (columns_[i] == "hours") {
        hours = value;
      } else if (value) {
        const auto [name, scale] = metric_of(columns_[i]);
        row.metrics[name] = *value * scale;
      }
    }
    if (!hours || !(*hours >= 0 && *hours <= kMostHours))
      return refuse("no time in the column hours");
    row.end_ns = std::llround(*hours * kNsPerHour);
    add(std::move(row));
  }

  void take_header(const std::vector<std::string_view>& fields) {
    for (const std::string_view field : fields) columns_.emplace_back(field);
    for (const char* needed : {"epoch", "hours"}) {
      if (std::find(columns_.begin(), columns_.end(), needed) == columns_.end())
        refuse(fmt::format("no column {}", needed));
    }
  }

  void add(Row row) {
    if (!rows_.rows.empty()) {
      const Row& before = rows_.rows.back();
      if (row.epoch <= before.epoch)
        return refuse(fmt::format("epoch {} after epoch {}; left out", row.epoch, before.epoch));
      if (row.end_ns < before.end_ns)
        return refuse(
            fmt::format("epoch {} ends before epoch {}; left out", row.epoch, before.epoch));
    }
    rows_.rows.push_back(std::move(row));
  }

  Rows rows_;
  std::vector<std::string> columns_;
  std::int64_t line_ = 1;
};

// Samples -----------------------------------------------------------------------------------------

constexpr std::int64_t kPerEpoch = 1000;  // where the data set is not known

/// Returns the size of the training set, one of those that DAWNBench's rules name; the entry's
/// folder tells which one.
std::int64_t samples_per_epoch(const std::string& source) {
  if (source.find("CIFAR10") != std::string::npos) return 50'000;
  if (source.find("ImageNet") != std::string::npos) return 1'281'167;
  return kPerEpoch;
}

/// Returns how many epochs each row covers: its number minus that of the row before. The first row
/// is counted from 0; if its number is 0, it covers as many epochs as the second row.
std::vector<double> steps_of(const std::vector<Row>& rows) {
  std::vector<double> steps{rows.front().epoch};
  for (std::size_t i = 1; i < rows.size(); ++i) steps.push_back(rows[i].epoch - rows[i - 1].epoch);
  if (rows.front().epoch <= 0) steps.front() = rows.size() > 1 ? steps[1] : 1;
  return steps;
}

// The run -----------------------------------------------------------------------------------------

std::string lap_log_of(const std::vector<Row>& rows, const std::string& source) {
  const std::vector<double> steps = steps_of(rows);
  const auto per_epoch = static_cast<double>(samples_per_epoch(source));
  const double usual_step = upper_median(steps);
  const double epochs = std::accumulate(steps.begin(), steps.end(), 0.0);
  LapLogText log(0, "dawnbench");
  log.plan({.epochs = std::max<std::int64_t>(1, lap_samples(epochs / usual_step)),
            .iterations_per_epoch = 1,
            .training_samples = lap_samples(usual_step * per_epoch)});
  std::int64_t begin_ns = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    log.whole_epoch(begin_ns, rows[i].end_ns, static_cast<std::int32_t>(i + 1),
                    lap_samples(steps[i] * per_epoch));
    begin_ns = rows[i].end_ns;
    for (const auto& [name, value] : rows[i].metrics) log.metric(begin_ns, name, value);
  }
  log.bye(begin_ns);
  return log.text();
}

std::vector<std::string> warnings_of(const std::vector<Row>& rows, const DawnbenchEntry& entry,
                                     const std::string& source) {
  std::vector<std::string> warnings;
  const std::vector<double> steps = steps_of(rows);
  const auto [least, most] = std::minmax_element(steps.begin(), steps.end());
  warnings.push_back("laps are the rows of the entry: whole epochs with their evaluation");
  if (*most > *least * 1.5)
    warnings.push_back(
        fmt::format("rows are {} to {} epochs apart; laps are compared per sample", *least, *most));
  if (samples_per_epoch(source) == kPerEpoch)
    warnings.push_back("the data set is not known: samples are thousandths of an epoch");
  if (!entry.price) warnings.push_back("the entry has no costPerHour");
  return warnings;
}

std::optional<Offer> offer_of(const DawnbenchEntry& entry, const std::string& source) {
  if (!entry.price) return std::nullopt;
  Offer offer;
  offer.name = "dawnbench/" + source;
  offer.machine_type = entry.hardware;
  offer.price = *entry.price;
  // DAWNBench's rules multiply hours and price, and its lists began in 2017.
  offer.billing.step_ns = 0;
  offer.as_of = parse_date(entry.date) ? entry.date : "2017";
  offer.source = "DAWNBench entry " + source;
  return offer;
}

RunContext context_of(const DawnbenchEntry& entry, const std::string& source) {
  RunContext context = imported_context("dawnbench", source, entry.model, entry.hardware);
  context.kind = RunKind::full;
  if (!entry.framework.empty()) context.settings["framework"] = entry.framework;
  if (!entry.batch_size.empty()) context.settings["batch"] = entry.batch_size;
  context.price = offer_of(entry, source);
  if (parse_date(entry.date) && entry.date.size() == 10)
    context.started_at = entry.date + "T00:00:00Z";
  return context;
}

}  // namespace

ImportedLog import_dawnbench(std::string_view json, std::string_view tsv,
                             const std::string& source) {
  ImportedLog result;
  DawnbenchEntry entry;
  if (json.empty()) {
    result.problems.push_back("its JSON is missing: machine and price are not known");
  } else if (Result<DawnbenchEntry> parsed = parse_entry(json)) {
    entry = *std::move(parsed);
  } else {
    result.problems.push_back("its JSON cannot be used: " + parsed.error().text);
  }
  Rows rows = TsvReader().read(tsv);
  result.problems.insert(result.problems.end(), rows.problems.begin(), rows.problems.end());
  if (rows.rows.empty()) {
    result.problems.push_back("no row with an epoch and hours");
    return result;
  }
  Run& run = result.runs.emplace_back();
  run.context = context_of(entry, source);
  ImportedRunId run_id("dawnbench");
  run_id.add(json);
  run_id.add(tsv);
  run.context.id = run_id.id();
  run.outcome = outcome::Ended{};
  run.ended_ns = rows.rows.back().end_ns;
  run.lap_logs = {lap_log_of(rows.rows, source)};
  run.warnings = warnings_of(rows.rows, entry, source);
  return result;
}

}  // namespace lapcast
