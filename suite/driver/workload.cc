#include "suite/driver/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "core/error.h"
#include "core/units.h"
#include "toml/toml_tree.h"

namespace lapcast {
namespace {

using Kind = TomlNode::Kind;

/// Reads the keys of a table of the suite by type; every requested key counts as known.
class Row {
 public:
  Row(const TomlNode& table, const std::string& file) : table_(table), file_(file) {
    if (table.kind != Kind::table) fail_at(file, table.place, "not a table");
  }

  std::string text(const std::string& key, bool required = false) {
    const TomlNode* node = find(key, Kind::text, required);
    return node == nullptr ? "" : node->text;
  }
  bool truth(const std::string& key) {
    const TomlNode* node = find(key, Kind::boolean, false);
    return node != nullptr && node->text == "true";
  }
  std::optional<std::int64_t> count(const std::string& key) {
    const auto number = this->number(key);
    if (!number) return std::nullopt;
    if (!(*number >= 1 && *number <= 1e15) ||
        *number != static_cast<double>(static_cast<std::int64_t>(*number)))
      fail_at(file_, table_.find(key)->place, key + " is not a whole number above 0");
    return static_cast<std::int64_t>(*number);
  }
  std::optional<double> number(const std::string& key) {
    const TomlNode* node = find(key, Kind::number, false);
    if (node == nullptr) return std::nullopt;
    double value = 0;
    std::from_chars(node->text.data(), node->text.data() + node->text.size(), value);
    return value;
  }
  /// Returns the items of a list; none if there is no such key.
  const std::vector<TomlNode>& items(const std::string& key) {
    static const std::vector<TomlNode> kNone;
    const TomlNode* node = find(key, Kind::list, false);
    return node == nullptr ? kNone : node->items;
  }

  void refuse_other_keys() const {
    for (const TomlNode::Key& key : table_.keys)
      if (!known_.contains(key.name))
        fail_at(file_, key.place, "unknown key '" + printable(key.name, 60) + "'");
  }

 private:
  const TomlNode* find(const std::string& key, Kind kind, bool required) {
    known_.insert(key);
    const TomlNode::Key* found = table_.find(key);
    if (found == nullptr && required) fail_at(file_, table_.place, "a workload has no " + key);
    if (found == nullptr) return nullptr;
    if (found->value.kind != kind)
      fail_at(file_, found->value.place,
              fmt::format("{} is {}, not {}", key, kind_name(found->value.kind), kind_name(kind)));
    return &found->value;
  }

  const TomlNode& table_;
  const std::string& file_;
  std::set<std::string> known_;
};

std::vector<WorkloadSetting> settings_of(const std::vector<TomlNode>& items,
                                         const std::string& file) {
  std::vector<WorkloadSetting> settings;
  for (const TomlNode& item : items) {
    Row row(item, file);
    settings.push_back({row.text("name", true), row.text("about", true)});
    row.refuse_other_keys();
  }
  return settings;
}

std::vector<std::string> texts_of(const std::vector<TomlNode>& items, const std::string& file) {
  std::vector<std::string> texts;
  for (const TomlNode& item : items) {
    if (item.kind != Kind::text) fail_at(file, item.place, "not text");
    texts.push_back(item.text);
  }
  return texts;
}

std::optional<DataMaker> maker_of(Row& row, const std::string& file) {
  DataMaker maker{row.text("maker"),
                  row.count("training_samples").value_or(0),
                  row.count("test_samples").value_or(0),
                  texts_of(row.items("maker_arguments"), file),
                  row.count("classes").value_or(1),
                  row.count("data_version").value_or(1)};
  if (maker.program.empty()) return std::nullopt;
  return maker;
}

Workload workload_of(const TomlNode& item, const std::string& file) {
  Row row(item, file);
  Workload workload;
  workload.name = row.text("name", true);
  workload.source = row.text("source", true);
  workload.network = row.text("network", true);
  workload.parameters = row.count("parameters");
  workload.training = row.text("training");
  workload.data = row.text("data");
  workload.maker = maker_of(row, file);
  workload.batch = row.count("batch").value_or(0);
  workload.epochs = row.count("epochs").value_or(0);
  workload.settings = settings_of(row.items("setting"), file);
  workload.accuracy = row.number("accuracy");
  workload.stopwatch = row.truth("stopwatch");
  workload.tools = texts_of(row.items("tools"), file);
  workload.board_sizes = row.text("board_sizes");
  workload.image_sizes = row.text("image_sizes");
  row.refuse_other_keys();
  const bool complete =
      !workload.trains() ||
      (workload.maker && workload.maker->training_samples > 0 && workload.maker->test_samples > 0 &&
       workload.batch > 0 && workload.epochs > 0);
  if (!complete)
    fail_at(file, item.place,
            printable(workload.name) +
                " needs maker, training_samples, test_samples, batch and epochs");
  return workload;
}

}  // namespace

std::vector<std::string> Workload::programs() const {
  std::vector<std::string> names{name};
  if (maker) names.push_back(maker->program);
  names.insert(names.end(), tools.begin(), tools.end());
  return names;
}

std::vector<Workload> parse_suite(std::string_view text, const std::string& file) {
  const TomlNode root = parse_toml(text, file);
  Row row(root, file);
  const std::vector<TomlNode>& items = row.items("workload");
  row.refuse_other_keys();
  std::vector<Workload> workloads;
  std::set<std::string> names;
  for (const TomlNode& item : items) {
    workloads.push_back(workload_of(item, file));
    if (!names.insert(workloads.back().name).second)
      fail_at(file, item.place, "there are two workloads " + printable(workloads.back().name));
  }
  return workloads;
}

const std::vector<Workload>& suite() {
  static const std::vector<Workload> workloads = parse_suite(suite_toml(), "suite.toml");
  return workloads;
}

const Workload& workload_named(std::string_view name) {
  std::string names;
  for (const Workload& workload : suite()) {
    if (workload.name == name) return workload;
    names += (names.empty() ? "" : ", ") + workload.name;
  }
  throw Error(ExitCode::usage, fmt::format("there is no workload '{}' in the suite; there are {}",
                                           printable(name, 60), names));
}

std::vector<std::string> maker_arguments(const DataMaker& maker, std::int64_t training_samples,
                                         std::int64_t test_samples) {
  std::vector<std::string> arguments{"--train", std::to_string(training_samples), "--test",
                                     std::to_string(test_samples)};
  arguments.insert(arguments.end(), maker.arguments.begin(), maker.arguments.end());
  return arguments;
}

std::int64_t test_samples_for(const DataMaker& maker, std::int64_t training_samples) {
  const double share =
      static_cast<double>(maker.test_samples) / static_cast<double>(maker.training_samples);
  const double samples = share * static_cast<double>(training_samples);
  return std::max(maker.classes, static_cast<std::int64_t>(samples + 0.5));
}

}  // namespace lapcast
