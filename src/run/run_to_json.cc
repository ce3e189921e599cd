#include "run/json_text.h"

#include <string>
#include <variant>
#include "run/json_writer.h"
#include "run/run_fields.h"
#include "run/run_json.h"

namespace lapcast {
namespace {

class Writer : public JsonWriter<Writer> {
 public:
  using JsonWriter::to_node;
  static Node to_node(RunKind kind) { return std::string(to_string(kind)); }
  static Node to_node(StartKind start) { return std::string(to_string(start)); }
  static Node to_node(const MachineType& type) {
    return object_of([](auto& w, auto& v) { machine_type_fields(w, v); }, type);
  }
  static Node to_node(const RequestedPlan& plan) {
    return object_of([](auto& w, auto& v) { plan_fields(w, v); }, plan);
  }
  static Node to_node(const Usage& usage) {
    return object_of([](auto& w, auto& v) { usage_fields(w, v); }, usage);
  }
  static Node to_node(const Accelerator& accelerator) {
    return object_of([](auto& w, auto& v) { accelerator_fields(w, v); }, accelerator);
  }
  static Node to_node(const MachineDescription& machine) {
    return object_of([](auto& w, auto& v) { machine_fields(w, v); }, machine);
  }
  static Node to_node(const Offer& offer) {
    return object_of([](auto& w, auto& v) { offer_fields(w, v); }, offer);
  }
  static Node to_node(const ForecastMoment& moment) {
    return object_of([](auto& w, auto& v) { moment_fields(w, v); }, moment);
  }
  static Node to_node(const PreparationStep& step) {
    return object_of([](auto& w, auto& v) { preparation_fields(w, v); }, step);
  }
  static Node to_node(const Pause& pause) {
    return object_of([](auto& w, auto& v) { pause_fields(w, v); }, pause);
  }
  static Node to_node(const Terms& terms);
  static Node to_node(const Outcome& outcome);
};

Writer::Node Writer::to_node(const Terms& terms) {
  Writer writer;
  const Owned* const owned = std::get_if<Owned>(&terms);
  writer("kind", std::string(owned != nullptr ? "owned" : "on-demand"));
  if (owned != nullptr) owned_fields(writer, *owned);
  return writer.take();
}

Writer::Node Writer::to_node(const Outcome& outcome) {
  struct {
    Node operator()(const outcome::Enough& o) {
      return Node::object({{"kind", "enough"}, {"rule", to_node(o.rule)}});
    }
    Node operator()(const outcome::BudgetSpent& o) {
      return Node::object({{"kind", "budget-spent"}, {"which", to_node(o.which)}});
    }
    Node operator()(const outcome::Ended&) { return Node::object({{"kind", "ended"}}); }
    Node operator()(const outcome::Crashed& o) {
      return Node::object(
          {{"kind", "crashed"}, {"exit_status", o.exit_status}, {"signal", o.signal}});
    }
    Node operator()(const outcome::NoLaps& o) {
      return Node::object({{"kind", "no-laps"}, {"why", to_node(o.why)}});
    }
    Node operator()(const outcome::NotStarted& o) {
      return Node::object({{"kind", "not-started"}, {"why", to_node(o.why)}});
    }
    Node operator()(const outcome::Interrupted&) { return Node::object({{"kind", "interrupted"}}); }
  } writer;
  return std::visit(writer, outcome);
}

}  // namespace

std::string to_json_line(const Run& run) {
  Writer writer;
  writer("format", std::string(kRunFormat));
  writer("version", kRunVersion);
  run_fields(writer, run);
  return escaped_controls(writer.take().dump());
}

}  // namespace lapcast
