#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/units.h"
#include "run/json_depth.h"
#include "run/run_fields.h"
#include "run/run_json.h"
#include "run/text_bytes.h"

namespace lapcast {
namespace {

using nlohmann::json;

constexpr int kMaxDepth = 16;  // of brackets; version 1 needs 5

constexpr std::pair<const char*, RunKind> kKinds[] = {
    {"probe", RunKind::probe}, {"full", RunKind::full}, {"find-epochs", RunKind::find_epochs}};
constexpr std::pair<const char*, StartKind> kStarts[] = {
    {"unknown", StartKind::unknown}, {"cold", StartKind::cold}, {"warm", StartKind::warm}};

/// What is wrong, as what follows the name of the value: ".cpus[2] is not a whole number". Empty
/// when nothing is.
using Problem = std::string;

Problem read(const json& node, std::string& text) {
  if (node.is_string()) {
    text = node.get_ref<const std::string&>();
    return "";
  }
  const bool encoded = node.is_object() && node.size() == 1 && node.contains("base64");
  if (!encoded || !node["base64"].is_string()) return " is not text";
  auto bytes = from_base64(node["base64"].get_ref<const std::string&>());
  if (!bytes) return ".base64 is not base64";
  text = std::move(*bytes);
  return "";
}

Problem read(const json& node, std::int64_t& number) {
  const bool fits = node.is_number_unsigned()
                        ? node.get<std::uint64_t>() <=
                              static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())
                        : node.is_number_integer();
  if (!fits) return " is not a whole number of 64 bits";
  number = node.get<std::int64_t>();
  return "";
}

Problem read(const json& node, int& number) {
  std::int64_t wide = 0;
  if (Problem problem = read(node, wide); !problem.empty()) return problem;
  if (wide != static_cast<int>(wide)) return " is not a whole number of 32 bits";
  number = static_cast<int>(wide);
  return "";
}

Problem read(const json& node, bool& truth) {
  if (!node.is_boolean()) return " is not true or false";
  truth = node.get<bool>();
  return "";
}

Problem read(const json& node, double& number) {
  if (!node.is_number()) return " is not a number";
  number = node.get<double>();
  return "";
}

Problem read(const json& node, Seconds& time) {
  double seconds = 0;
  Problem problem = read(node, seconds);
  if (problem.empty()) time = Seconds{seconds};
  return problem;
}

Problem read(const json& node, Money& amount) {
  std::string text;
  if (Problem problem = read(node, text); !problem.empty()) return problem;
  try {
    amount = Money::parse(text);
    return "";
  } catch (const Error&) {
    return fmt::format(" is '{}', not an amount like \"0.0425\"", printable(text, 40));
  }
}

template <class Names, class T>
Problem read_name(const json& node, const Names& names, T& value) {
  std::string text;
  if (Problem problem = read(node, text); !problem.empty()) return problem;
  for (const auto& [name, named] : names) {
    if (text != name) continue;
    value = named;
    return "";
  }
  return fmt::format(" is '{}', which this version does not know", printable(text, 40));
}
Problem read(const json& node, RunKind& kind) {
  return read_name(node, kKinds, kind);
}
Problem read(const json& node, StartKind& start) {
  return read_name(node, kStarts, start);
}

Problem read(const json& node, MachineType& type);
Problem read(const json& node, RequestedPlan& plan);
Problem read(const json& node, Usage& usage);
Problem read(const json& node, Accelerator& accelerator);
Problem read(const json& node, MachineDescription& machine);
Problem read(const json& node, Offer& offer);
Problem read(const json& node, ForecastMoment& moment);
Problem read(const json& node, PreparationStep& step);
Problem read(const json& node, Pause& pause);
Problem read(const json& node, Terms& terms);
Problem read(const json& node, Outcome& outcome);

template <class T>
Problem read(const json& node, std::optional<T>& value) {
  return read(node, value.emplace());
}

template <class T>
Problem read(const json& node, std::vector<T>& values) {
  if (!node.is_array()) return " is not a list";
  values.clear();
  values.reserve(node.size());
  for (const json& item : node) {
    const Problem problem = read(item, values.emplace_back());
    if (!problem.empty()) return fmt::format("[{}]{}", values.size() - 1, problem);
  }
  return "";
}

Problem read_pair(const json& node, std::map<std::string, std::string>& map) {
  if (!node.is_array() || node.size() != 2) return " is not a pair of texts";
  std::string key;
  if (Problem problem = read(node[0], key); !problem.empty()) return "[0]" + problem;
  Problem problem = read(node[1], map[key]);
  return problem.empty() ? problem : "[1]" + problem;
}

Problem read(const json& node, std::map<std::string, std::string>& map) {
  if (!node.is_structured()) return " is not an object of texts";
  map.clear();
  for (const auto& [key, value] : node.items()) {
    const Problem problem =
        node.is_array() ? read_pair(value, map) : read(value, map[std::string(key)]);
    if (!problem.empty()) return fmt::format("['{}']{}", printable(key, 40), problem);
  }
  return "";
}

/// Reads each member from under its key; keeps the first problem.
class Reader {
 public:
  explicit Reader(const json& object) : object_(object) {
    if (!object.is_object()) problem_ = " is not an object";
  }
  template <class T>
  void operator()(const char* key, T& value) {
    member(key, value, false);
  }
  template <class T>
  void required(const char* key, T& value) {
    member(key, value, true);
  }
  void refuse(const Problem& problem) {
    if (problem_.empty()) problem_ = problem;
  }
  Problem take() { return std::move(problem_); }

 private:
  template <class T>
  void member(const char* key, T& value, bool required) {
    if (!problem_.empty()) return;
    const auto found = object_.find(key);
    if (found != object_.end()) {
      const Problem problem = read(*found, value);
      if (!problem.empty()) problem_ = fmt::format(".{}{}", key, problem);
    } else if (required) {
      problem_ = fmt::format(".{} is missing", key);
    }
  }

  const json& object_;
  Problem problem_;
};

template <class Fields, class T>
Problem read_object(const json& node, Fields fields, T& value) {
  Reader reader(node);
  fields(reader, value);
  return reader.take();
}
Problem read(const json& node, MachineType& type) {
  return read_object(
      node, [](auto& r, auto& v) { machine_type_fields(r, v); }, type);
}
Problem read(const json& node, RequestedPlan& plan) {
  return read_object(
      node, [](auto& r, auto& v) { plan_fields(r, v); }, plan);
}
Problem read(const json& node, Usage& usage) {
  return read_object(
      node, [](auto& r, auto& v) { usage_fields(r, v); }, usage);
}
Problem read(const json& node, Accelerator& accelerator) {
  return read_object(
      node, [](auto& r, auto& v) { accelerator_fields(r, v); }, accelerator);
}
Problem read(const json& node, MachineDescription& machine) {
  return read_object(
      node, [](auto& r, auto& v) { machine_fields(r, v); }, machine);
}

Problem read(const json& node, Offer& offer) {
  return read_object(
      node, [](auto& r, auto& v) { offer_fields(r, v); }, offer);
}

Problem read(const json& node, ForecastMoment& moment) {
  return read_object(
      node, [](auto& r, auto& v) { moment_fields(r, v); }, moment);
}

Problem read(const json& node, PreparationStep& step) {
  return read_object(
      node, [](auto& r, auto& v) { preparation_fields(r, v); }, step);
}

Problem read(const json& node, Pause& pause) {
  return read_object(
      node, [](auto& r, auto& v) { pause_fields(r, v); }, pause);
}

Problem unknown_kind(const std::string& kind) {
  return fmt::format(".kind is '{}', which this version does not know", printable(kind, 40));
}

Problem read(const json& node, Terms& terms) {
  Reader reader(node);
  std::string kind;
  reader.required("kind", kind);
  if (kind == "owned") {
    owned_fields(reader, terms.emplace<Owned>());
  } else if (kind == "on-demand") {
    terms = OnDemand{};
  } else {
    reader.refuse(unknown_kind(kind));
  }
  return reader.take();
}

Problem read(const json& node, Outcome& outcome) {
  Reader reader(node);
  std::string kind;
  reader.required("kind", kind);
  if (kind == "enough") {
    reader("rule", outcome.emplace<outcome::Enough>().rule);
  } else if (kind == "budget-spent") {
    reader("which", outcome.emplace<outcome::BudgetSpent>().which);
  } else if (kind == "ended") {
    outcome = outcome::Ended{};
  } else if (kind == "crashed") {
    auto& crash = outcome.emplace<outcome::Crashed>();
    reader("exit_status", crash.exit_status);
    reader("signal", crash.signal);
  } else if (kind == "no-laps") {
    reader("why", outcome.emplace<outcome::NoLaps>().why);
  } else if (kind == "not-started") {
    reader("why", outcome.emplace<outcome::NotStarted>().why);
  } else if (kind == "interrupted") {
    outcome = outcome::Interrupted{};
  } else {
    reader.refuse(unknown_kind(kind));
  }
  return reader.take();
}

Result<json> parse(std::string_view line) {
  if (json_depth(line) > kMaxDepth) return because("not a run: its brackets are too deep");
  try {
    return json::parse(line);
  } catch (const json::parse_error& error) {
    return because(fmt::format("not JSON at byte {}", error.byte));
  } catch (const json::exception&) {
    return because("not JSON: a number that is too large");
  }
}

Problem read_head(const json& node) {
  std::string format;
  std::int64_t version = 0;
  Reader reader(node);
  reader.required("format", format);
  reader.required("version", version);
  if (Problem problem = reader.take(); !problem.empty()) return problem;
  if (format != kRunFormat) return fmt::format(".format is not '{}'", kRunFormat);
  if (version < 1) return ".version is not 1 or more";
  if (version == kRunVersion) return "";
  return fmt::format(".version is {}, of a newer lapcast; this one reads {}", version, kRunVersion);
}

}  // namespace

Result<Run> run_from_json_line(std::string_view line) {
  const Result<json> node = parse(line);
  if (!node) return tl::unexpected(node.error());
  Run run;
  Problem problem = read_head(*node);
  if (problem.empty()) {
    Reader reader(*node);
    run_fields(reader, run);
    problem = reader.take();
  }
  if (!problem.empty()) {
    return because(problem.starts_with('.') ? problem.substr(1) : "the line" + problem);
  }
  if (auto reason = why_not_kept(run)) return tl::unexpected(*reason);
  return run;
}

}  // namespace lapcast
