#include "remote/remote_request_fields.h"

#include <string>
#include <variant>
#include "run/json_writer.h"
#include "run/run_json.h"

namespace lapcast {
namespace {

class Writer : public JsonWriter<Writer> {
 public:
  using JsonWriter::to_node;
  static Node to_node(DataSource source) {
    return source == DataSource::there ? "there" : source == DataSource::send ? "send" : "setup";
  }
  static Node to_node(const ProbeLimits& limits) {
    return object_of([](auto& w, auto& v) { limits_fields(w, v); }, limits);
  }
  static Node to_node(const WatchRequest& watch) {
    return object_of([](auto& w, auto& v) { watch_fields(w, v); }, watch);
  }
  static Node to_node(const Round& round) {
    return object_of([](auto& w, auto& v) { round_fields(w, v); }, round);
  }
  static Node to_node(const ResumePlan& resume) {
    return object_of([](auto& w, auto& v) { resume_fields(w, v); }, resume);
  }
  static Node to_node(const DataSet& data) {
    return object_of([](auto& w, auto& v) { data_fields(w, v); }, data);
  }
  static Node to_node(const PlaceSetup& site) {
    return object_of([](auto& w, auto& v) { site_fields(w, v); }, site);
  }
  static Node to_node(const Place& place) {
    if (const auto* ssh = std::get_if<SshPlace>(&place))
      return {{"kind", "ssh"}, {"host", to_node(ssh->host)}};
    const auto* slurm = std::get_if<SlurmPlace>(&place);
    if (slurm == nullptr) return {{"kind", "here"}};
    Node node = object_of([](auto& w, auto& v) { slurm_fields(w, v); }, *slurm);
    node["kind"] = "slurm";
    return node;
  }
};

}  // namespace

std::string to_json_line(const RemoteRequest& request) {
  Run run;
  run.context = request.probe.context;
  run.preparation = request.preparation;
  run.warnings = request.warnings;
  Writer writer;
  request_fields(writer, request);
  Writer::Node node{{"format", kRequestFormat}, {"version", kRequestVersion}};
  node.update(writer.take());
  node["run"] = Writer::Node::parse(to_json_line(run));
  return node.dump();
}

}  // namespace lapcast
