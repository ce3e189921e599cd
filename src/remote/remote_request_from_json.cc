#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "probe/checkpoints.h"
#include "remote/host.h"
#include "remote/remote_request_fields.h"
#include "run/json_reader.h"
#include "run/json_text.h"
#include "run/run_json.h"

namespace lapcast {
namespace {

using nlohmann::json;

constexpr int kMaxDepth = 20;  // of brackets: a run within a request
constexpr double kMostRequestSeconds = 1e9;

constexpr std::pair<const char*, DataSource> kSources[] = {
    {"there", DataSource::there}, {"send", DataSource::send}, {"setup", DataSource::setup}};

/// Reads as strictly as for a run, and refuses a negative time, size or number.
class Reader : public JsonReader<Reader> {
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
  static JsonProblem read(const Node& node, ProbeLimits& limits) {
    JsonProblem problem = read_object(
        node, [](auto& r, auto& v) { limits_fields(r, v); }, limits);
    if (problem.empty() && !(limits.precision > 0)) return ".precision is not above 0";
    return problem;
  }
  static JsonProblem read(const Node& node, WatchRequest& watch) {
    return read_object(
        node, [](auto& r, auto& v) { watch_fields(r, v); }, watch);
  }
  static JsonProblem read(const Node& node, Round& round) {
    return read_object(
        node, [](auto& r, auto& v) { round_fields(r, v); }, round);
  }
  static JsonProblem read(const Node& node, ResumePlan& resume) {
    JsonProblem problem = read_object(
        node, [](auto& r, auto& v) { resume_fields(r, v); }, resume);
    if (problem.empty() && !is_checkpoint_pattern(resume.checkpoints))
      return ".checkpoints leaves the run folder";
    return problem;
  }
  static JsonProblem read(const Node& node, DataSet& data) {
    JsonProblem problem = read_object(
        node, [](auto& r, auto& v) { data_fields(r, v); }, data);
    if (problem.empty() && data.path.empty()) return ".path is missing";
    return problem;
  }
  static JsonProblem read(const Node& node, PlaceSetup& site) {
    return read_object(
        node, [](auto& r, auto& v) { site_fields(r, v); }, site);
  }
  static JsonProblem read(const Node& node, Place& place);
};

JsonProblem Reader::read(const Node& node, Place& place) {
  Reader reader(node);
  std::string kind;
  reader("kind", kind);
  if (kind == "ssh") {
    SshPlace& ssh = place.emplace<SshPlace>();
    reader("host", ssh.host);
    if (!is_host_name(ssh.host)) return ".host is no name of a host";
  } else if (kind == "slurm") {
    SlurmPlace& slurm = place.emplace<SlurmPlace>();
    slurm_fields(reader, slurm);
    if (!slurm.login.empty() && !is_host_name(slurm.login)) return ".login is no name of a host";
  } else if (kind == "here") {
    place = LocalPlace{};
  } else {
    return ".kind is not here, ssh or slurm";
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
  Reader reader(node);
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
  Reader reader(node);
  request_fields(reader, request);
  if (JsonProblem problem = reader.take(); !problem.empty()) return problem;
  if (!is_folder_name(request.work)) return ".work is no name of a folder";
  if (!is_folder_name(request.content)) return ".content is no hash";
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
    return because("not a request: it is no JSON");
  }
}

}  // namespace lapcast
