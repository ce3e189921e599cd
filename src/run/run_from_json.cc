#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "run/json_reader.h"
#include "run/json_text.h"
#include "run/run_fields.h"
#include "run/run_json.h"

namespace lapcast {
namespace {

using nlohmann::json;

constexpr int kMaxDepth = 16;                    // of brackets; version 1 needs 5
constexpr std::int64_t kMostValues = 4'000'000;  // laps are within texts, and do not count

constexpr std::pair<const char*, RunKind> kKinds[] = {
    {"probe", RunKind::probe}, {"full", RunKind::full}, {"find-epochs", RunKind::find_epochs}};
constexpr std::pair<const char*, StartKind> kStarts[] = {
    {"unknown", StartKind::unknown}, {"cold", StartKind::cold}, {"warm", StartKind::warm}};

class Reader : public JsonReader<Reader> {
 public:
  using JsonReader::JsonReader;
  using JsonReader::read;

  static JsonProblem read(const Node& node, RunKind& kind) { return read_name(node, kKinds, kind); }
  static JsonProblem read(const Node& node, StartKind& start) {
    return read_name(node, kStarts, start);
  }
  static JsonProblem read(const Node& node, MachineType& type) {
    return read_object(
        node, [](auto& r, auto& v) { machine_type_fields(r, v); }, type);
  }
  static JsonProblem read(const Node& node, RequestedPlan& plan) {
    return read_object(
        node, [](auto& r, auto& v) { plan_fields(r, v); }, plan);
  }
  static JsonProblem read(const Node& node, Usage& usage) {
    return read_object(
        node, [](auto& r, auto& v) { usage_fields(r, v); }, usage);
  }
  static JsonProblem read(const Node& node, Accelerator& accelerator) {
    return read_object(
        node, [](auto& r, auto& v) { accelerator_fields(r, v); }, accelerator);
  }
  static JsonProblem read(const Node& node, MachineDescription& machine) {
    return read_object(
        node, [](auto& r, auto& v) { machine_fields(r, v); }, machine);
  }
  static JsonProblem read(const Node& node, Offer& offer) {
    return read_object(
        node, [](auto& r, auto& v) { offer_fields(r, v); }, offer);
  }
  static JsonProblem read(const Node& node, ForecastMoment& moment) {
    return read_object(
        node, [](auto& r, auto& v) { moment_fields(r, v); }, moment);
  }
  static JsonProblem read(const Node& node, PreparationStep& step) {
    return read_object(
        node, [](auto& r, auto& v) { preparation_fields(r, v); }, step);
  }
  static JsonProblem read(const Node& node, Pause& pause) {
    return read_object(
        node, [](auto& r, auto& v) { pause_fields(r, v); }, pause);
  }
  static JsonProblem read(const Node& node, Terms& terms);
  static JsonProblem read(const Node& node, Outcome& outcome);
};

JsonProblem Reader::read(const Node& node, Terms& terms) {
  Reader reader(node);
  std::string kind;
  reader.required("kind", kind);
  if (kind == "owned") {
    owned_fields(reader, terms.emplace<Owned>());
  } else if (kind == "on-demand") {
    terms = OnDemand{};
  } else {
    reader.refuse(unknown(".kind", kind));
  }
  return reader.take();
}

JsonProblem Reader::read(const Node& node, Outcome& outcome) {
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
    reader.refuse(unknown(".kind", kind));
  }
  return reader.take();
}

Result<json> parse(std::string_view line) {
  if (json_depth(line) > kMaxDepth) return because("not a run: its brackets are too deep");
  if (json_values(line) > kMostValues) return because("not a run: it has too many values");
  try {
    return json::parse(line);
  } catch (const json::parse_error& error) {
    return because(fmt::format("not JSON at byte {}", error.byte));
  } catch (const json::exception&) {
    return because("not JSON: a number that is too large");
  }
}

JsonProblem read_head(const json& node) {
  std::string format;
  std::int64_t version = 0;
  Reader reader(node);
  reader.required("format", format);
  reader.required("version", version);
  if (JsonProblem problem = reader.take(); !problem.empty()) return problem;
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
  JsonProblem problem = read_head(*node);
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
