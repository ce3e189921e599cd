#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/money.h"
#include "core/units.h"
#include "remote/host.h"
#include "probe/checkpoints.h"
#include "remote/remote_request_fields.h"
#include "run/json_depth.h"
#include "run/run_json.h"
#include "run/text_bytes.h"

namespace lapcast {
namespace {

using nlohmann::json;

constexpr int kMaxDepth = 20;  // of brackets: a run within a request
constexpr double kMostSeconds = 1e9;

/// What is wrong, as what follows the name of the value; empty when nothing is.
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
  if (!node.is_number_integer()) return " is no whole number";
  if (!node.is_number_unsigned()) return " is negative";
  if (node.get<std::uint64_t>() > std::uint64_t{1} << 62) return " is too large";
  number = node.get<std::int64_t>();
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
  return number >= 0 && number <= kMostSeconds ? "" : " is out of range";
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
    return " is no amount of money";
  }
}

Problem read(const json& node, DataSource& source) {
  const auto is = [&](const char* name) { return node == name; };
  if (!is("there") && !is("send") && !is("setup")) return " is not there, send or setup";
  source = is("there") ? DataSource::there : is("send") ? DataSource::send : DataSource::setup;
  return "";
}

Problem read(const json& node, Place& place);
Problem read(const json& node, ProbeLimits& limits);
Problem read(const json& node, WatchRequest& watch);
Problem read(const json& node, Round& round);
Problem read(const json& node, ResumePlan& resume);
Problem read(const json& node, DataSet& data);
Problem read(const json& node, Site& site);

template <class T>
Problem read(const json& node, std::optional<T>& value) {
  return read(node, value.emplace());
}

template <class T>
Problem read(const json& node, std::vector<T>& values) {
  if (!node.is_array()) return " is not a list";
  values.clear();
  for (const json& item : node) {
    const Problem problem = read(item, values.emplace_back());
    if (!problem.empty()) return fmt::format("[{}]{}", values.size() - 1, problem);
  }
  return "";
}

/// Reads each member from under its key, where it is there; keeps the first problem.
class Reader {
 public:
  explicit Reader(const json& object) : object_(object) {
    if (!object.is_object()) problem_ = " is not an object";
  }
  template <class T>
  void operator()(const char* key, T& value) {
    if (!problem_.empty()) return;
    const auto found = object_.find(key);
    if (found == object_.end()) return;
    const Problem problem = read(*found, value);
    if (!problem.empty()) problem_ = fmt::format(".{}{}", key, problem);
  }
  Problem take() { return std::move(problem_); }

 private:
  const json& object_;
  Problem problem_;
};

template <class Fields, class T>
Problem read_object(const json& node, Fields fields, T& value) {
  Reader reader(node);
  fields(reader, value);
  return reader.take();
}

Problem read(const json& node, ProbeLimits& limits) {
  Problem problem = read_object(node, [](auto& r, auto& v) { limits_fields(r, v); }, limits);
  if (problem.empty() && !(limits.precision > 0)) return ".precision is not above 0";
  return problem;
}
Problem read(const json& node, WatchRequest& watch) {
  return read_object(node, [](auto& r, auto& v) { watch_fields(r, v); }, watch);
}
Problem read(const json& node, Round& round) {
  return read_object(node, [](auto& r, auto& v) { round_fields(r, v); }, round);
}
Problem read(const json& node, ResumePlan& resume) {
  Problem problem = read_object(node, [](auto& r, auto& v) { resume_fields(r, v); }, resume);
  if (problem.empty() && !is_checkpoint_pattern(resume.checkpoints))
    return ".checkpoints leaves the run folder";
  return problem;
}
Problem read(const json& node, DataSet& data) {
  Problem problem = read_object(node, [](auto& r, auto& v) { data_fields(r, v); }, data);
  if (problem.empty() && data.path.empty()) return ".path is missing";
  return problem;
}
Problem read(const json& node, Site& site) {
  return read_object(node, [](auto& r, auto& v) { site_fields(r, v); }, site);
}

Problem read(const json& node, Place& place) {
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
    place = HerePlace{};
  } else {
    return ".kind is not here, ssh or slurm";
  }
  return reader.take();
}

/// A name of one folder, of letters that no shell or file system minds.
bool is_folder_name(const std::string& name) {
  return name.empty() ||
         (name.size() <= 200 && name[0] != '.' && std::all_of(name.begin(), name.end(), [](char c) {
            return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || c == '.';
          }));
}

Problem read_head(const json& node) {
  std::string format;
  std::int64_t version = 0;
  Reader reader(node);
  reader("format", format);
  reader("version", version);
  if (Problem problem = reader.take(); !problem.empty()) return problem;
  if (format != kRequestFormat) return fmt::format(".format is not '{}'", kRequestFormat);
  if (version == kRequestVersion) return "";
  return fmt::format(".version is {}; this lapcast reads {}", version, kRequestVersion);
}

Problem read_run(const json& node, RemoteRequest& request) {
  const auto found = node.find("run");
  if (found == node.end()) return ".run is missing";
  Result<Run> run = run_from_json_line(found->dump());
  if (!run) return ".run: " + run.error().text;
  if (run->context.program.empty()) return ".run: program is empty";
  request.probe.context = std::move(run->context);
  request.preparation = std::move(run->preparation);
  return "";
}

Problem read_request(const json& node, RemoteRequest& request) {
  if (Problem problem = read_head(node); !problem.empty()) return problem;
  Reader reader(node);
  request_fields(reader, request);
  if (Problem problem = reader.take(); !problem.empty()) return problem;
  if (!is_folder_name(request.work)) return ".work is no name of a folder";
  if (!is_folder_name(request.content)) return ".content is no hash";
  return read_run(node, request);
}

}  // namespace

Result<RemoteRequest> remote_request_from_json(std::string_view line) {
  if (json_depth(line) > kMaxDepth) return because("not a request: its brackets are too deep");
  RemoteRequest request;
  try {
    const Problem problem = read_request(json::parse(line), request);
    if (problem.empty()) return request;
    return because("not a request: it" + problem);
  } catch (const json::exception&) {
    return because("not a request: it is no JSON");
  }
}

}  // namespace lapcast
