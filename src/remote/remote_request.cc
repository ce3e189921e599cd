#include "remote/remote_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>
#include <variant>

#include "lap/output_line.h"
#include "probe/run_folder.h"
#include "remote/host.h"
#include "run/json_reader.h"
#include "run/json_writer.h"
#include "run/run_json.h"
#include "run/text_bytes.h"

namespace lapcast {
namespace {

using nlohmann::json;

constexpr std::string_view kRequestFormat = "lapcast-request";
constexpr int kRequestVersion = 1;
constexpr int kMaxDepth = 20;  // of brackets: a run within a request
constexpr double kMostRequestSeconds = 1e9;

constexpr std::pair<const char*, DataSource> kSources[] = {
    {"there", DataSource::on_machine}, {"send", DataSource::send}, {"setup", DataSource::setup}};

// Keys --------------------------------------------------------------------------------------------

// These functions list the keys of a request in JSON once for both directions, as run/run_json.cc
// does: they call an archive with each key and member. A key that is missing keeps its member's
// default.

void fields(auto& archive, MaybeConst<WholeEpochs> auto& epochs) {
  archive("count", epochs.count);
  archive("within_budget", epochs.within_budget);
}

void fields(auto& archive, MaybeConst<ProbeLimits> auto& limits) {
  archive("precision", limits.precision);
  archive("device_precision", limits.device_precision);
  archive("max_laps", limits.max_laps);
  archive("budget_s", limits.budget);
  archive("startup_s", limits.startup);
  archive("grace_s", limits.grace);
  archive("max_log_bytes", limits.max_log_bytes);
  archive("memory_share", limits.memory_share);
  archive("to_the_end", limits.to_the_end);
  archive("epochs", limits.epochs);
}

void fields(auto& archive, MaybeConst<WatchRequest> auto& watch) {
  archive("max_time_s", watch.limits.max_time);
  archive("max_cost_usd", watch.limits.max_cost);
  archive("stop", watch.limits.stop);
  archive("session_s", watch.limits.session);
}

void fields(auto& archive, MaybeConst<ResumePlan> auto& resume) {
  archive("arguments", resume.arguments);
  archive("checkpoints", resume.checkpoints);
  archive.when_true("in_sessions", resume.in_sessions);
}

void fields(auto& archive, MaybeConst<DataSet> auto& data) {
  archive("path", data.path);
  archive("bytes", data.bytes);
  archive("source", data.source);
}

void fields(auto& archive, MaybeConst<SlurmPlace> auto& slurm) {
  archive("login", slurm.login);
  archive("partition", slurm.partition);
  archive("constraint", slurm.constraint);
  archive("gres", slurm.gres);
  archive("nodes", slurm.nodes);
  archive("gpus", slurm.gpus);
  archive("account", slurm.account);
  archive("time_limit_ns", slurm.time_limit_ns);
  archive("flags", slurm.flags);
}

void fields(auto& archive, MaybeConst<RentedPlace> auto& rented) {
  archive("by", rented.by);
  archive("type", rented.type);
  archive("image", rented.image);
}

void fields(auto& archive, MaybeConst<OrderedHardware> auto& ordered) {
  archive("gpu", ordered.gpu);
  archive("gpus", ordered.gpus);
  archive("gpu_memory_bytes", ordered.gpu_memory_bytes);
  archive("vcpus", ordered.vcpus);
  archive("memory_bytes", ordered.memory_bytes);
  archive("cuda", ordered.cuda);
  archive("free_disk_bytes", ordered.free_disk_bytes);
}

void fields(auto& archive, MaybeConst<PlaceSetup> auto& place_setup) {
  archive("place", place_setup.place);
  archive("group", place_setup.group);
  archive("folder", place_setup.folder);
  archive("needs", place_setup.needs);
  archive("setup", place_setup.setup);
  archive("data", place_setup.data);
  archive("ordered", place_setup.ordered);
}

void fields(auto& archive, MaybeConst<LapSource> auto& source) {
  archive("line", source.line);
  archive("whole", source.whole);
}

void fields(auto& archive, MaybeConst<Round> auto& round) {
  archive("laps", round.laps);
  archive("ran_s", round.ran);
  archive("until_enough", round.until_enough);
}

void fields(auto& archive, MaybeConst<RemoteRequest> auto& request) {
  archive("limits", request.probe.limits);
  archive("keep_run_folder", request.probe.keep_run_folder);
  archive("hook", request.probe.hook);
  archive("laps_of", request.probe.lap_source);
  archive("watch", request.probe.watch);
  archive("no_wait", request.probe.no_wait);
  archive("round", request.probe.round);
  archive("resume", request.probe.resume);
  archive("site", request.probe.place_setup);
  archive("work", request.work);
  archive("content", request.content);
  archive("typed", request.typed);
  archive("save_every_s", request.probe.save_every);
}

template <class T>
concept HasFields = requires(int& any_archive, T& value) {
  fields(any_archive, value);
};

constexpr auto kEachField = [](auto& archive, auto& value) { fields(archive, value); };

// Writing -----------------------------------------------------------------------------------------

class RequestWriter : public JsonWriter<RequestWriter> {
 public:
  using JsonWriter::to_node;
  static Node to_node(DataSource source) {
    return std::ranges::find(kSources, source, [](const auto& pair) { return pair.second; })->first;
  }
  /// Leaves out empty members, so that keys of earlier sweeps stay the same.
  static Node ssh_node(const SshPlace& ssh) {
    Node node{{"kind", "ssh"}, {"host", to_node(ssh.host)}};
    if (!ssh.config.empty()) node["config"] = to_node(ssh.config);
    if (!ssh.known_hosts.empty()) node["known_hosts"] = to_node(ssh.known_hosts);
    if (!ssh.others.empty()) node["others"] = to_node(ssh.others);
    return node;
  }
  static Node to_node(const HasFields auto& value) { return object_of(kEachField, value); }
  static Node to_node(const Place& place) {
    if (const auto* ssh = std::get_if<SshPlace>(&place)) return ssh_node(*ssh);
    if (const auto* rented = std::get_if<RentedPlace>(&place)) {
      Node node = to_node(*rented);
      node["kind"] = "rented";
      return node;
    }
    const auto* slurm = std::get_if<SlurmPlace>(&place);
    if (slurm == nullptr) return {{"kind", "here"}};
    Node node = to_node(*slurm);
    for (const char* key : {"nodes", "gpus"})
      if (node[key] == 0) node.erase(key);
    node["kind"] = "slurm";
    return node;
  }
};

// Reading -----------------------------------------------------------------------------------------

/// Says what is wrong with a value whose members have been read; most types allow all values.
JsonProblem check(const auto& /*value*/) {
  return "";
}
JsonProblem check(const ProbeLimits& limits) {
  if (!(limits.precision >= 0)) return ".precision is below 0";
  return limits.device_precision.value_or(0) >= 0 ? "" : ".device_precision is below 0";
}
JsonProblem check(const WholeEpochs& epochs) {
  return epochs.count > 0 ? "" : ".count is not above 0";
}
JsonProblem check(const ResumePlan& resume) {
  return is_checkpoint_pattern(resume.checkpoints) ? "" : ".checkpoints leaves the run folder";
}
JsonProblem check(const LapSource& source) {
  if (source.whole != source.line.empty()) return " names both or neither";
  return source.whole || LinePattern::of(source.line) ? "" : ".line is not a regular expression";
}
JsonProblem check(const DataSet& data) {
  return data.path.empty() ? ".path is missing" : "";
}

/// Reads as strictly as for a run, and refuses a negative time, size or number.
class RequestReader : public JsonReader<RequestReader> {
 public:
  using JsonReader::JsonReader;
  using JsonReader::read;

  static JsonProblem read(const Node& node, std::int64_t& number) {
    if (JsonProblem problem = JsonReader::read(node, number); !problem.empty()) return problem;
    return number < 0 ? " is negative" : number > std::int64_t{1} << 62 ? " is too large" : "";
  }
  static JsonProblem read(const Node& node, double& number) {
    if (JsonProblem problem = JsonReader::read(node, number); !problem.empty()) return problem;
    return number >= 0 && number <= kMostRequestSeconds ? "" : " is out of range";
  }
  static JsonProblem read(const Node& node, DataSource& source) {
    return read_name(node, kSources, source);
  }
  static JsonProblem read(const Node& node, HasFields auto& value) {
    JsonProblem problem = read_object(node, kEachField, value);
    return problem.empty() ? check(value) : problem;
  }
  static JsonProblem read(const Node& node, Place& place);
};

JsonProblem RequestReader::read(const Node& node, Place& place) {
  RequestReader reader(node);
  std::string kind;
  reader("kind", kind);
  if (kind == "ssh") {
    SshPlace& ssh = place.emplace<SshPlace>();
    reader("host", ssh.host);
    reader("config", ssh.config);
    reader("known_hosts", ssh.known_hosts);
    reader("others", ssh.others);
    if (!is_host_name(ssh.host) || !std::ranges::all_of(ssh.others, is_host_name))
      return ".host is not the name of a host";
  } else if (kind == "slurm") {
    SlurmPlace& slurm = place.emplace<SlurmPlace>();
    fields(reader, slurm);
    if (slurm.nodes < 0 || slurm.gpus < 0) return " has a negative number of nodes or GPUs";
    if (!slurm.login.empty() && !is_host_name(slurm.login))
      return ".login is not the name of a host";
  } else if (kind == "rented") {
    fields(reader, place.emplace<RentedPlace>());
  } else if (kind == "here") {
    place = LocalPlace{};
  } else {
    return ".kind is not here, ssh, slurm or rented";
  }
  return reader.take();
}

/// Returns whether a name is that of one folder, of letters that every shell and file system takes.
bool is_folder_name(const std::string& name) {
  return name.empty() ||
         (name.size() <= 200 && name[0] != '.' && std::all_of(name.begin(), name.end(), [](char c) {
            return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || c == '.';
          }));
}

JsonProblem read_head(const json& node) {
  std::string format;
  std::int64_t version = 0;
  RequestReader reader(node);
  reader("format", format);
  reader("version", version);
  if (JsonProblem problem = reader.take(); !problem.empty()) return problem;
  if (format != kRequestFormat) return fmt::format(".format is not '{}'", kRequestFormat);
  if (version == kRequestVersion) return "";
  return fmt::format(".version is {}; this lapcast reads {}", version, kRequestVersion);
}

JsonProblem read_run(const json& node, RemoteRequest& request) {
  const auto found = node.find("run");
  if (found == node.end()) return ".run is missing";
  Result<Run> run = run_from_json_line(found->dump());
  if (!run) return ".run: " + run.error().text;
  if (run->context.program.empty()) return ".run: program is empty";
  request.probe.context = std::move(run->context);
  request.preparation = std::move(run->preparation);
  request.warnings = std::move(run->warnings);
  return "";
}

JsonProblem read_request(const json& node, RemoteRequest& request) {
  if (JsonProblem problem = read_head(node); !problem.empty()) return problem;
  RequestReader reader(node);
  fields(reader, request);
  if (JsonProblem problem = reader.take(); !problem.empty()) return problem;
  if (!is_folder_name(request.work)) return ".work is not the name of a folder";
  if (!is_folder_name(request.content)) return ".content is not a hash";
  return read_run(node, request);
}

}  // namespace

Result<RemoteRequest> remote_request_from_json(std::string_view line) {
  if (json_depth(line) > kMaxDepth) return because("not a request: its brackets are too deep");
  RemoteRequest request;
  try {
    const JsonProblem problem = read_request(json::parse(line), request);
    if (problem.empty()) return request;
    return because("not a request: it" + problem);
  } catch (const json::exception&) {
    return because("not a request: it is not JSON");
  }
}

std::string to_json_line(const RemoteRequest& request) {
  Run run;
  run.context = request.probe.context;
  run.preparation = request.preparation;
  run.warnings = request.warnings;
  RequestWriter writer;
  fields(writer, request);
  RequestWriter::Node node{{"format", kRequestFormat}, {"version", kRequestVersion}};
  node.update(writer.take());
  node["run"] = RequestWriter::Node::parse(to_json_line(run));
  return node.dump();
}

}  // namespace lapcast
