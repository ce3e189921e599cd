#include "lap/lap_log_builder.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "lap/lap_log_format.h"

namespace lapcast {
namespace {

using Problem = LapLogBuilder::Problem;

constexpr Problem kNotANumber = "not a number";
constexpr Problem kNotAName = "not a name";
constexpr Problem kNotAField = "not a key=value";

/// Sets the field unless a word was missing, empty or out of range. Returns whether it did.
template <class T>
bool set(T& field, std::optional<std::int64_t> value) {
  if (value) field = static_cast<T>(*value);
  return value.has_value();
}

bool set_name(std::string& field, std::string_view value) {
  if (is_name(value)) field = value;
  return is_name(value);
}

bool set_hello_field(Hello& hello, const Field& field) {
  const auto [key, value] = field;
  if (key == "clock") return set(hello.clock_ns, parse_count(value));
  if (key == "pid") return set(hello.pid, parse_count(value));
  if (key == "rank") return set(hello.rank, parse_count(value, kMaxWorldSize - 1));
  if (key == "world") return set(hello.world_size, parse_count(value, kMaxWorldSize));
  if (key == "host") return set_name(hello.host, value);
  if (key == "emitter") return set_name(hello.emitter, value);
  if (key != "wall") return true;
  const std::optional<double> wall = parse_value(value);
  if (wall) hello.wall_seconds = *wall;
  return wall && *wall >= 0 && *wall <= kMaxWallSeconds;
}

Problem read_hello(LapLogBuilder& log, std::int64_t at, WordReader& words) {
  if (at != 0) return "a hello that is not at time 0";
  Hello hello;
  bool has_clock = false;
  while (!words.done()) {
    const std::optional<Field> field = parse_field(words.next());
    if (!field) return kNotAField;
    if (!set_hello_field(hello, *field)) return "a hello with a wrong value";
    has_clock |= field->key == "clock";
  }
  if (!has_clock) return "a hello without a clock";
  return log.hello(std::move(hello));
}

bool set_plan_field(TrainingPlan& plan, const Field& field) {
  for (const auto& [key, member] : kPlanFields) {
    if (field.key == key)
      return std::visit([&](auto each) { return set(plan.*each, parse_count(field.value)); },
                        member);
  }
  return field.key != "from" || set_name(plan.from, field.value);
}

Problem read_plan(LapLogBuilder& log, std::int64_t at, WordReader& words) {
  TrainingPlan plan;
  while (!words.done()) {
    const std::optional<Field> field = parse_field(words.next());
    if (!field) return kNotAField;
    if (!set_plan_field(plan, *field)) return kNotANumber;
  }
  return log.plan(at, plan);
}

/// Reads the fields of a sample into its members; skips those that are not known.
template <class Sample, class Fields>
Problem read_fields(WordReader& words, const Fields& fields, Sample& sample) {
  while (!words.done()) {
    const std::optional<Field> field = parse_field(words.next());
    if (!field) return kNotAField;
    const auto* const known =
        std::ranges::find(fields, field->key, [](const auto& each) { return each.first; });
    if (known == std::end(fields)) continue;
    sample.*known->second = parse_count(field->value);
    if (!(sample.*known->second)) return kNotANumber;
  }
  return nullptr;
}

Problem read_load(LapLogBuilder& log, std::int64_t at, WordReader& words) {
  LoadSample load{.at_ns = at};
  const auto span = parse_count(words.next());
  if (!span) return kNotANumber;
  load.span_ns = *span;
  const Problem problem = read_fields(words, kLoadFields, load);
  return problem != nullptr ? problem : log.load(load);
}

Problem read_gpu(LapLogBuilder& log, std::int64_t at, WordReader& words) {
  GpuSample gpu{.at_ns = at};
  const auto number = parse_count(words.next(), kMostGpus - 1);
  if (!number) return kNotANumber;
  gpu.number = *number;
  if (const Problem problem = read_fields(words, kGpuFields, gpu)) return problem;
  return gpu.busy_percent.value_or(0) > 100 ? kNotANumber : log.gpu(gpu);
}

Problem read_sequence(LapLogBuilder& log, std::int64_t at, WordReader& words) {
  const auto length = parse_count(words.next());
  if (!length || *length == 0) return kNotANumber;
  SequencesSeen seen{.peaks = {{*length}}};
  while (!words.done()) {
    const std::optional<Field> field = parse_field(words.next());
    if (!field) return kNotAField;
    for (const auto& [key, member] : kSequenceFields)
      if (field->key == key && !set(seen.peaks[0].*member, parse_count(field->value)))
        return kNotANumber;
    if (field->key == "most" && !set(seen.most, parse_count(field->value))) return kNotANumber;
    if (field->key == "from" && !set_name(seen.most_from, field->value)) return kNotAName;
    if (field->key == "unit") seen.by_tokens = field->value == "tokens";
  }
  return log.sequence(at, std::move(seen));
}

/// Skips the fields that a later minor version may add to an event.
bool only_fields_follow(WordReader& words) {
  while (!words.done()) {
    if (!parse_field(words.next())) return false;
  }
  return true;
}

/// Reads an event with a number, which is at most the largest of its type.
template <class Count, Problem (LapLogBuilder::*take)(std::int64_t, Count)>
Problem read_count(LapLogBuilder& log, std::int64_t at, WordReader& words) {
  const auto count = parse_count(words.next(), std::numeric_limits<Count>::max());
  if (!count) return kNotANumber;
  return only_fields_follow(words) ? (log.*take)(at, static_cast<Count>(*count)) : kNotAField;
}

Problem read_iteration(LapLogBuilder& log, std::int64_t at, WordReader& words) {
  const auto count = parse_count(words.next(), kMaxSamples);
  if (!count) return kNotANumber;
  const auto samples = static_cast<std::int32_t>(*count);
  bool is_shared = false;
  while (!words.done()) {
    const std::optional<Field> field = parse_field(words.next());
    if (!field) return kNotAField;
    is_shared = is_shared || (field->key == "shared" && field->value == "1");
  }
  return is_shared ? log.shared_iteration(at, samples) : log.finished_iteration(at, samples);
}

template <Problem (LapLogBuilder::*take)(std::int64_t, std::string_view)>
Problem read_name(LapLogBuilder& log, std::int64_t at, WordReader& words) {
  const std::string_view name = words.next();
  if (!is_name(name)) return kNotAName;
  return only_fields_follow(words) ? (log.*take)(at, name) : kNotAField;
}

template <Problem (LapLogBuilder::*take)(std::int64_t)>
Problem read_nothing(LapLogBuilder& log, std::int64_t at, WordReader& words) {
  return only_fields_follow(words) ? (log.*take)(at) : kNotAField;
}

Problem read_metric(LapLogBuilder& log, std::int64_t at, WordReader& words) {
  const std::string_view name = words.next();
  if (!is_name(name)) return kNotAName;
  const std::optional<double> value = parse_value(words.next());
  if (!value) return kNotANumber;
  return only_fields_follow(words) ? log.metric(at, name, *value) : kNotAField;
}

Problem read_note(LapLogBuilder& log, std::int64_t at, WordReader& words) {
  const std::string_view text = words.rest();
  return is_note(text) ? log.note(at, text) : "not a note";
}

Problem read_end(LapLogBuilder& log, std::int64_t at, WordReader& words) {
  const auto lap = parse_count(words.next());
  const auto end = parse_count(words.next());
  if (!lap || !end) return kNotANumber;
  return only_fields_follow(words) ? log.ended(at, *lap, *end) : kNotAField;
}

struct Kind {
  std::string_view word;
  Problem (*read)(LapLogBuilder&, std::int64_t at, WordReader&);
};

constexpr Kind kKinds[] = {
    {"i", read_iteration},
    {"q", read_count<std::int32_t, &LapLogBuilder::queued_iteration>},
    {"ended", read_end},
    {"metric", read_metric},
    {"epoch-begin", read_count<std::int32_t, &LapLogBuilder::epoch_begin>},
    {"epoch-end", read_count<std::int32_t, &LapLogBuilder::epoch_end>},
    {"stage-begin", read_name<&LapLogBuilder::stage_begin>},
    {"stage-end", read_name<&LapLogBuilder::stage_end>},
    {"checkpoint-begin", read_nothing<&LapLogBuilder::checkpoint_begin>},
    {"checkpoint-end", read_count<std::int64_t, &LapLogBuilder::checkpoint_end>},
    {"validation-begin", read_nothing<&LapLogBuilder::validation_begin>},
    {"validation-end", read_count<std::int64_t, &LapLogBuilder::validation_end>},
    {"phase", read_name<&LapLogBuilder::phase>},
    {"note", read_note},
    {"device-memory", read_count<std::int64_t, &LapLogBuilder::device_memory>},
    {"sequence", read_sequence},
    {"numbers", read_name<&LapLogBuilder::numbers>},
    {"load", read_load},
    {"gpu", read_gpu},
    {"plan", read_plan},
    {"hello", read_hello},
    {"anew", read_nothing<&LapLogBuilder::begin_anew>},
    {"bye", read_nothing<&LapLogBuilder::bye>},
};

constexpr std::size_t kUsualIterationBytes = 128;

}  // namespace

bool is_needed_for_laps(std::string_view line) {
  WordReader words(line);
  words.next();
  const std::string_view kind = words.next();
  const bool iteration = kind == "i" || kind == "q" || kind == "ended";
  return kind == "hello" || (iteration && line.size() <= kUsualIterationBytes);
}

LapLogBuilder::Problem read_lap_line(std::string_view line, LapLogBuilder& log) {
  WordReader words(line);
  const std::optional<std::int64_t> at = parse_count(words.next());
  if (!at) return "no time at its beginning";
  const std::string_view word = words.next();
  if (!is_name(word)) return "no kind of event";
  const auto* const kind =
      std::ranges::find_if(kKinds, [&](const Kind& known) { return known.word == word; });
  return kind == std::end(kKinds) ? nullptr : kind->read(log, *at, words);
}

}  // namespace lapcast
