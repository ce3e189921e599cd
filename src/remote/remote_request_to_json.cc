#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/money.h"
#include "remote/remote_request_fields.h"
#include "run/run_json.h"
#include "run/text_bytes.h"

namespace lapcast {
namespace {

using nlohmann::ordered_json;

/// Puts each member under its key; those without a value are left out.
class Writer {
 public:
  template <class T>
  void operator()(const char* key, const T& value) {
    if (ordered_json node = to_node(value); !node.is_null()) object_[key] = std::move(node);
  }
  ordered_json take() { return std::move(object_); }

 private:
  template <class Fields, class T>
  static ordered_json object_of(Fields fields, const T& value) {
    Writer writer;
    fields(writer, value);
    return writer.take();
  }
  static ordered_json to_node(const std::string& text) {
    if (is_utf8(text)) return text;
    return ordered_json::object({{"base64", to_base64(text)}});
  }
  static ordered_json to_node(std::int64_t number) { return number; }
  static ordered_json to_node(bool truth) { return truth; }
  static ordered_json to_node(double number) {
    return std::isfinite(number) ? ordered_json(number) : ordered_json();
  }
  static ordered_json to_node(Seconds time) { return to_node(time.count()); }
  static ordered_json to_node(Money amount) { return exact_decimal(amount); }
  static ordered_json to_node(DataSource source) {
    return source == DataSource::there ? "there" : source == DataSource::send ? "send" : "setup";
  }
  static ordered_json to_node(const ProbeLimits& limits) {
    return object_of([](auto& w, auto& v) { limits_fields(w, v); }, limits);
  }
  static ordered_json to_node(const WatchRequest& watch) {
    return object_of([](auto& w, auto& v) { watch_fields(w, v); }, watch);
  }
  static ordered_json to_node(const Round& round) {
    return object_of([](auto& w, auto& v) { round_fields(w, v); }, round);
  }
  static ordered_json to_node(const ResumePlan& resume) {
    return object_of([](auto& w, auto& v) { resume_fields(w, v); }, resume);
  }
  static ordered_json to_node(const DataSet& data) {
    return object_of([](auto& w, auto& v) { data_fields(w, v); }, data);
  }
  static ordered_json to_node(const Site& site) {
    return object_of([](auto& w, auto& v) { site_fields(w, v); }, site);
  }
  static ordered_json to_node(const Place& place) {
    if (const auto* ssh = std::get_if<SshPlace>(&place))
      return {{"kind", "ssh"}, {"host", to_node(ssh->host)}};
    const auto* slurm = std::get_if<SlurmPlace>(&place);
    if (slurm == nullptr) return {{"kind", "here"}};
    ordered_json node = object_of([](auto& w, auto& v) { slurm_fields(w, v); }, *slurm);
    node["kind"] = "slurm";
    return node;
  }
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

  ordered_json object_ = ordered_json::object();
};

}  // namespace

std::string to_json_line(const RemoteRequest& request) {
  Run run;
  run.context = request.probe.context;
  run.preparation = request.preparation;
  Writer writer;
  request_fields(writer, request);
  ordered_json node{{"format", kRequestFormat}, {"version", kRequestVersion}};
  node.update(writer.take());
  node["run"] = ordered_json::parse(to_json_line(run));
  return node.dump();
}

}  // namespace lapcast
