#include "run/run_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "run/json_reader.h"
#include "run/json_texts.h"
#include "run/json_writer.h"
#include "run/run_fields.h"
#include "run/text_bytes.h"

namespace lapcast {
namespace {

using nlohmann::json;

constexpr std::string_view kRunFormat = "lapcast-run";
constexpr int kRunVersion = 1;
constexpr int kMaxDepth = 16;                    // of brackets; version 1 needs 5
constexpr std::int64_t kMostValues = 4'000'000;  // laps are within texts, and do not count
constexpr const char* kLapLogs = "lap_logs";

class Writer : public JsonWriter<Writer> {
 public:
  using JsonWriter::to_node;
  /// Writes an empty list; write_json_line() puts the logs into it.
  void lap_logs(const std::vector<std::string>&) { (*this)(kLapLogs, std::vector<std::string>()); }
  static Node to_node(RunKind kind) { return std::string(to_string(kind)); }
  static Node to_node(StartKind start) { return std::string(to_string(start)); }
  static Node to_node(const Terms& terms) { return variant_node(kTermsKinds, terms); }
  static Node to_node(const Outcome& outcome) { return variant_node(kOutcomeKinds, outcome); }
  template <class T>
  requires HasFields<const T, Writer>
  static Node to_node(const T& value) {
    return object_of([](auto& writer, auto& object) { fields(writer, object); }, value);
  }

 private:
  template <class Variant>
  static Node variant_node(const NamedAlternatives<Variant>& names, const Variant& variant) {
    Writer writer;
    writer("kind", std::string(names[variant.index()].first));
    std::visit([&](const auto& value) { fields(writer, value); }, variant);
    return writer.take();
  }
};

class Reader : public JsonReader<Reader> {
 public:
  using JsonReader::JsonReader;
  using JsonReader::read;
  void lap_logs(std::vector<std::string>& logs) { required(kLapLogs, logs); }

  static JsonProblem read(const Node& node, RunKind& kind) {
    return read_name(node, kRunKinds, kind);
  }
  static JsonProblem read(const Node& node, StartKind& start) {
    return read_name(node, kStartKinds, start);
  }
  static JsonProblem read(const Node& node, Terms& terms) {
    return read_variant(node, kTermsKinds, terms);
  }
  static JsonProblem read(const Node& node, Outcome& outcome) {
    return read_variant(node, kOutcomeKinds, outcome);
  }
  template <class T>
  requires HasFields<T, Reader>
  static JsonProblem read(const Node& node, T& value) {
    return read_object(
        node, [](auto& reader, auto& object) { fields(reader, object); }, value);
  }

 private:
  template <class Variant>
  static JsonProblem read_variant(const Node& node, const NamedAlternatives<Variant>& names,
                                  Variant& variant) {
    Reader reader(node);
    std::string kind;
    reader.required("kind", kind);
    const auto named = std::ranges::find(names, kind, [](auto& name) { return name.first; });
    if (named == names.end()) {
      reader.refuse(unknown(".kind", kind));
    } else {
      variant = named->second;
      std::visit([&](auto& value) { fields(reader, value); }, variant);
    }
    return reader.take();
  }
};

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

void write_json_line(const Run& run, const TakeText& take) {
  Writer writer;
  writer("format", std::string(kRunFormat));
  writer("version", kRunVersion);
  fields(writer, run);
  const std::string line = escaped_controls(writer.take().dump());
  // Within a text the quotes would be escaped, and no other list has this name.
  const std::string list = fmt::format("\"{}\":[", kLapLogs);
  const std::size_t begin = line.find(list + ']') + list.size();
  take(std::string_view(line).substr(0, begin));
  for (const std::string& log : run.lap_logs) {
    if (&log != &run.lap_logs.front()) take(",");
    if (Writer::stays_text(log))
      write_json_text(log, take);
    else
      take(Writer::to_node(log).dump());
  }
  take(std::string_view(line).substr(begin));
}

std::string to_json_line(const Run& run) {
  std::string line;
  constexpr std::size_t kLong = 1 << 20;  // to grow, a long text would be in memory three times
  for (const std::string& log : run.lap_logs)
    if (log.size() > kLong) line.reserve(line.capacity() + json_size(log) + kLong);
  write_json_line(run, [&](std::string_view piece) { line += piece; });
  return line;
}

Result<Run> run_from_json_line(std::string_view line) {
  std::optional<ShortenedJson> shortened = without_long_texts(line, kLapLogs);
  Result<json> node = parse(shortened ? shortened->text : line);
  if (shortened && !node) {  // says what is wrong with the line as it is
    shortened.reset();
    node = parse(line);
  }
  if (!node) return tl::unexpected(node.error());
  Run run;
  JsonProblem problem = read_head(*node);
  if (problem.empty()) {
    Reader reader(*node);
    fields(reader, run);
    problem = reader.take();
  }
  if (!problem.empty()) {
    return because(problem.starts_with('.') ? problem.substr(1) : "the line" + problem);
  }
  for (std::size_t i = 0; shortened && i < shortened->taken.size(); ++i)
    if (!shortened->taken[i].empty()) run.lap_logs[i] = std::move(shortened->taken[i]);
  if (auto reason = why_not_kept(run)) return tl::unexpected(*reason);
  return run;
}

}  // namespace lapcast
