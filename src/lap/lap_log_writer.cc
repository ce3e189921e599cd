#include "lap/lap_log_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <variant>

#include "lap/lap_log_format.h"

namespace lapcast {
namespace {

enum class Takes { nothing, name, count, samples, end, epoch, metric, text, fields };

struct EventForm {
  std::string_view word;
  std::string_view written_as;
  Takes takes;
};

constexpr EventForm kForms[] = {
    {"i", "i", Takes::samples},
    {"iteration", "i", Takes::samples},
    {"q", "q", Takes::samples},
    {"iteration-queued", "q", Takes::samples},
    {"ended", "ended", Takes::end},
    {"plan", "plan", Takes::fields},
    {"stage-begin", "stage-begin", Takes::name},
    {"stage-end", "stage-end", Takes::name},
    {"checkpoint-begin", "checkpoint-begin", Takes::nothing},
    {"checkpoint-end", "checkpoint-end", Takes::count},
    {"epoch-begin", "epoch-begin", Takes::epoch},
    {"epoch-end", "epoch-end", Takes::epoch},
    {"validation-begin", "validation-begin", Takes::nothing},
    {"validation-end", "validation-end", Takes::count},
    {"metric", "metric", Takes::metric},
    {"phase", "phase", Takes::name},
    {"note", "note", Takes::text},
    {"device-memory", "device-memory", Takes::count},
    {"anew", "anew", Takes::nothing},
    {"bye", "bye", Takes::nothing},
};

std::string_view usage(Takes takes) {
  switch (takes) {
    case Takes::nothing:
      return "no argument";
    case Takes::name:
      return "a name";
    case Takes::count:
      return "a whole number";
    case Takes::samples:
      return "a number of samples, at most 2147483647";
    case Takes::end:
      return "the number of a lap, counted from 1, and the time of its end";
    case Takes::epoch:
      return "a number of the epoch, counted from 1";
    case Takes::metric:
      return "a name and a number";
    case Takes::text:
      return "a text, such as: note \"laps were counted by hand\"";
    case Takes::fields:
      break;
  }
  return "fields of epochs=, steps=, iterations=, batch=, train=, validation=, validate-every=, "
         "validate-from=, requests=";
}

bool is_plan_field(std::string_view word) {
  const std::optional<Field> field = parse_field(word);
  const auto is_key = [&](const auto& known) { return known.first == field->key; };
  return field && std::ranges::any_of(kPlanFields, is_key) && parse_count(field->value).has_value();
}

bool fits(Takes takes, std::span<const std::string> arguments) {
  if (takes == Takes::fields) return std::ranges::all_of(arguments, is_plan_field);
  if (takes == Takes::nothing) return arguments.empty();
  if (takes == Takes::text) return !arguments.empty();
  if (takes == Takes::metric) return arguments.size() == 2 && parse_value(arguments[1]).has_value();
  if (takes == Takes::end)
    return arguments.size() == 2 && parse_count(arguments[0]).value_or(0) > 0 &&
           parse_count(arguments[1]).has_value();
  if (arguments.size() != 1) return false;
  if (takes == Takes::samples) return parse_count(arguments[0], kMaxSamples).has_value();
  if (takes == Takes::epoch) return parse_count(arguments[0], kMaxEpoch).has_value();
  return takes == Takes::name || parse_count(arguments[0]).has_value();
}

std::string kinds_of_events() {
  std::string kinds;
  for (const EventForm& form : kForms) {
    if (form.word.size() > 1) fmt::format_to(std::back_inserter(kinds), " {}", form.word);
  }
  return kinds;
}

/// Returns the line with the fields that the sample knows.
template <class Sample, class Fields>
std::string with_fields(std::string line, const Sample& sample, const Fields& fields) {
  for (const auto& [key, field] : fields)
    if (sample.*field) fmt::format_to(std::back_inserter(line), " {}={}", key, *(sample.*field));
  return line + '\n';
}

}  // namespace

std::string lap_log_name(std::string_view text) {
  std::string name(text.substr(0, kMaxNameBytes));
  std::ranges::replace_if(
      name, [](char c) { return !is_name_character(c); }, '_');
  return name.empty() ? "_" : name;
}

std::string lap_log_note(std::string_view text) {
  std::string note(text.substr(0, kMaxNoteBytes));
  std::ranges::replace_if(
      note, [](char c) { return !is_note_character(c); }, '?');
  return note.empty() ? "?" : note;
}

std::string lap_log_opening(const Hello& hello) {
  return fmt::format(
      "{}\n0 hello clock={} wall={:.6f} pid={} rank={} world={} host={} emitter={}\n",
      kLapLogVersionLine, hello.clock_ns, hello.wall_seconds, hello.pid, hello.rank,
      hello.world_size, lap_log_name(hello.host), lap_log_name(hello.emitter));
}

std::string plan_line(std::int64_t at_ns, const TrainingPlan& plan) {
  std::string line = fmt::format("{} plan", at_ns);
  for (const auto& [key, field] : kPlanFields) {
    const auto number =
        std::visit([&](auto each) { return static_cast<std::int64_t>(plan.*each); }, field);
    if (number > 0) fmt::format_to(std::back_inserter(line), " {}={}", key, number);
  }
  if (!plan.from.empty()) line += " from=" + lap_log_name(plan.from);
  return line + '\n';
}

std::string load_line(const LoadSample& load) {
  return with_fields(fmt::format("{} load {}", load.at_ns, load.span_ns), load, kLoadFields);
}

std::string gpu_line(const GpuSample& gpu) {
  return with_fields(fmt::format("{} gpu {}", gpu.at_ns, gpu.number), gpu, kGpuFields);
}

Result<std::string> event_line(std::int64_t at_ns, std::span<const std::string> words) {
  if (words.empty()) return because("no event was named; events are:" + kinds_of_events());
  const auto* const form =
      std::ranges::find_if(kForms, [&](const EventForm& f) { return f.word == words[0]; });
  if (form == std::end(kForms)) {
    return because(fmt::format("no event is called '{}'; events are:{}", lap_log_name(words[0]),
                               kinds_of_events()));
  }
  const auto arguments = words.subspan(1);
  if (!fits(form->takes, arguments)) {
    return because(fmt::format("{} takes {}", form->word, usage(form->takes)));
  }
  if (form->takes == Takes::text) {
    return fmt::format("{} {} {}\n", at_ns, form->written_as,
                       lap_log_note(fmt::format("{}", fmt::join(arguments, " "))));
  }
  const bool named = form->takes == Takes::name || form->takes == Takes::metric;
  std::string line = fmt::format("{} {}", at_ns, form->written_as);
  for (std::size_t i = 0; i < arguments.size(); i++) {
    line += ' ';
    line += named && i == 0 ? lap_log_name(arguments[i]) : arguments[i];
  }
  if (line.size() >= kMaxLineBytes) return because("the event is longer than a line may be");
  return line + '\n';
}

}  // namespace lapcast
