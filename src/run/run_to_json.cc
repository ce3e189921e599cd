#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "run/run_fields.h"
#include "run/run_json.h"
#include "run/text_bytes.h"

namespace lapcast {
namespace {

using nlohmann::ordered_json;

ordered_json to_json_text(const std::string& text) {
  if (is_utf8(text)) return text;
  return ordered_json::object({{"base64", to_base64(text)}});
}

/// Calls its fields function with itself and puts each member under its key.
class Writer {
 public:
  template <class T>
  void operator()(const char* key, const T& value) {
    if (ordered_json node = to_node(value); !node.is_null()) object_[key] = std::move(node);
  }
  template <class T>
  void required(const char* key, const T& value) {
    (*this)(key, value);
  }
  ordered_json take() { return std::move(object_); }

 private:
  template <class Fields, class T>
  static ordered_json object_of(Fields fields, const T& value) {
    Writer writer;
    fields(writer, value);
    return writer.take();
  }

  static ordered_json to_node(const std::string& text) { return to_json_text(text); }
  static ordered_json to_node(std::int64_t number) { return number; }
  static ordered_json to_node(int number) { return number; }
  static ordered_json to_node(bool truth) { return truth; }
  static ordered_json to_node(double number) {
    return std::isfinite(number) ? ordered_json(number) : ordered_json();
  }
  static ordered_json to_node(Seconds time) { return to_node(time.count()); }
  static ordered_json to_node(Money amount) { return exact_decimal(amount); }
  static ordered_json to_node(RunKind kind) { return std::string(to_string(kind)); }
  static ordered_json to_node(StartKind start) { return std::string(to_string(start)); }
  template <class T>
  static ordered_json to_node(const std::optional<T>& value) {
    return value ? to_node(*value) : ordered_json();
  }
  template <class T>
  static ordered_json to_node(const std::vector<T>& values) {
    ordered_json list = ordered_json::array();
    for (const T& value : values) list.push_back(to_node(value));
    return list;
  }
  static ordered_json to_node(const std::map<std::string, std::string>& map);
  static ordered_json to_node(const MachineType& type) {
    return object_of([](auto& w, auto& v) { machine_type_fields(w, v); }, type);
  }
  static ordered_json to_node(const RequestedPlan& plan) {
    return object_of([](auto& w, auto& v) { plan_fields(w, v); }, plan);
  }
  static ordered_json to_node(const Usage& usage) {
    return object_of([](auto& w, auto& v) { usage_fields(w, v); }, usage);
  }
  static ordered_json to_node(const Accelerator& accelerator) {
    return object_of([](auto& w, auto& v) { accelerator_fields(w, v); }, accelerator);
  }
  static ordered_json to_node(const MachineDescription& machine) {
    return object_of([](auto& w, auto& v) { machine_fields(w, v); }, machine);
  }
  static ordered_json to_node(const Offer& offer) {
    return object_of([](auto& w, auto& v) { offer_fields(w, v); }, offer);
  }
  static ordered_json to_node(const ForecastMoment& moment) {
    return object_of([](auto& w, auto& v) { moment_fields(w, v); }, moment);
  }
  static ordered_json to_node(const PreparationStep& step) {
    return object_of([](auto& w, auto& v) { preparation_fields(w, v); }, step);
  }
  static ordered_json to_node(const Pause& pause) {
    return object_of([](auto& w, auto& v) { pause_fields(w, v); }, pause);
  }
  static ordered_json to_node(const Terms& terms);
  static ordered_json to_node(const Outcome& outcome);

  ordered_json object_ = ordered_json::object();
};

/// An object; a list of [key, value] where a key is not UTF-8 and so cannot be a JSON key.
ordered_json Writer::to_node(const std::map<std::string, std::string>& map) {
  const bool keys_fit =
      std::all_of(map.begin(), map.end(), [](const auto& entry) { return is_utf8(entry.first); });
  ordered_json node = keys_fit ? ordered_json::object() : ordered_json::array();
  for (const auto& [key, value] : map) {
    if (keys_fit) {
      node[key] = to_json_text(value);
    } else {
      node.push_back(ordered_json::array({to_json_text(key), to_json_text(value)}));
    }
  }
  return node;
}

ordered_json Writer::to_node(const Terms& terms) {
  Writer writer;
  const Owned* const owned = std::get_if<Owned>(&terms);
  writer("kind", std::string(owned != nullptr ? "owned" : "on-demand"));
  if (owned != nullptr) owned_fields(writer, *owned);
  return writer.take();
}

ordered_json Writer::to_node(const Outcome& outcome) {
  struct {
    ordered_json operator()(const outcome::Enough& o) {
      return ordered_json::object({{"kind", "enough"}, {"rule", to_json_text(o.rule)}});
    }
    ordered_json operator()(const outcome::BudgetSpent& o) {
      return ordered_json::object({{"kind", "budget-spent"}, {"which", to_json_text(o.which)}});
    }
    ordered_json operator()(const outcome::Ended&) {
      return ordered_json::object({{"kind", "ended"}});
    }
    ordered_json operator()(const outcome::Crashed& o) {
      return ordered_json::object(
          {{"kind", "crashed"}, {"exit_status", o.exit_status}, {"signal", o.signal}});
    }
    ordered_json operator()(const outcome::NoLaps& o) {
      return ordered_json::object({{"kind", "no-laps"}, {"why", to_json_text(o.why)}});
    }
    ordered_json operator()(const outcome::NotStarted& o) {
      return ordered_json::object({{"kind", "not-started"}, {"why", to_json_text(o.why)}});
    }
    ordered_json operator()(const outcome::Interrupted&) {
      return ordered_json::object({{"kind", "interrupted"}});
    }
  } writer;
  return std::visit(writer, outcome);
}

}  // namespace

std::string to_json_line(const Run& run) {
  Writer writer;
  writer("format", std::string(kRunFormat));
  writer("version", kRunVersion);
  run_fields(writer, run);
  return writer.take().dump();
}

}  // namespace lapcast
