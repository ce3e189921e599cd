#include "formats/imported.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <utility>

#include "core/units.h"
#include "lap/lap_log_format.h"
#include "lap/lap_log_writer.h"

namespace lapcast {

// Text --------------------------------------------------------------------------------------------

std::optional<double> text_as_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = !text.empty() && error == std::errc{} && end == text.data() + text.size();
  return whole ? std::optional(value) : std::nullopt;
}

std::string_view without_byte_order_mark(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  return text;
}

void ProblemCount::add(std::int64_t place, std::string_view why) {
  if (count_++ == 0) first_ = fmt::format("{} {}: {}", unit_, place, why);
}

void ProblemCount::tell(std::vector<std::string>& messages, std::string_view what) const {
  if (count_ > 0) messages.push_back(fmt::format("{}; {} {}", first_, count_, what));
}

void ProblemCount::tell_first(std::vector<std::string>& messages) const {
  if (count_ == 1) messages.push_back(first_);
  if (count_ > 1) messages.push_back(fmt::format("{} (and {} more such)", first_, count_ - 1));
}

// Runs --------------------------------------------------------------------------------------------

RunContext imported_context(std::string_view format, const std::string& source, std::string program,
                            std::string machine) {
  RunContext context;
  context.program = {std::string(format), program.empty() ? "unknown" : std::move(program)};
  context.machine_type.name = machine.empty() ? "unknown" : std::move(machine);
  context.imported_from = fmt::format("{} {}", format, source);
  context.lapcast_version = LAPCAST_VERSION;
  return context;
}

void ImportedRunId::add(std::string_view text) {
  hash_.add(text);
  hash_.add_unit(0);
}

void ImportedRunId::add(std::int64_t number) {
  for (int shift = 0; shift < 64; shift += 8)
    hash_.add_unit((static_cast<std::uint64_t>(number) >> shift) & 0xff);
}

std::string ImportedRunId::id() const {
  return fmt::format("{:012x}", (hash_.value() ^ (hash_.value() >> 48)) & 0xffffffffffff);
}

LapLogText::LapLogText(double wall_seconds, std::string_view format) {
  Hello hello;
  hello.wall_seconds = wall_seconds;
  hello.emitter = fmt::format("import-{}/1", format);
  text_ = lap_log_opening(hello);
}

// Skips the checks of event_line(), which are for words typed by users: these are numbers and known
// names, and a log may have a hundred thousand of them.
void LapLogText::event(std::int64_t at_ns, std::string_view word, std::string_view argument) {
  last_ns_ = std::max(last_ns_, at_ns);
  const fmt::format_int time(last_ns_);
  text_.append(time.data(), time.size()).append(" ").append(word);
  if (!argument.empty()) text_.append(" ").append(argument);
  text_ += '\n';
}

void LapLogText::event(std::int64_t at_ns, std::string_view word, std::int64_t argument) {
  const fmt::format_int number(argument);
  event(at_ns, word, std::string_view(number.data(), number.size()));
}

void LapLogText::plan(const TrainingPlan& plan) {
  text_ += plan_line(last_ns_, plan);
}

void LapLogText::whole_epoch(std::int64_t begin_ns, std::int64_t end_ns, std::int32_t epoch,
                             std::int64_t samples) {
  epoch_begin(begin_ns, epoch);
  lap(end_ns, samples);
  epoch_end(end_ns, epoch);
}

void LapLogText::validation(std::int64_t begin_ns, std::int64_t end_ns, std::int64_t samples) {
  event(begin_ns, "validation-begin");
  event(end_ns, "validation-end", samples);
}

void LapLogText::stage_begin(std::int64_t at_ns, std::string_view name) {
  event(at_ns, "stage-begin", lap_log_name(name));
}

void LapLogText::stage_end(std::int64_t at_ns, std::string_view name) {
  event(at_ns, "stage-end", lap_log_name(name));
}

void LapLogText::metric(std::int64_t at_ns, std::string_view name, double value) {
  event(at_ns, "metric",
        std::isnan(value) ? lap_log_name(name) + " nan"
                          : fmt::format("{} {}", lap_log_name(name), value));
}

std::int64_t lap_samples(double samples) {
  if (!(samples >= 0.5)) return 0;
  return static_cast<std::int64_t>(std::min(std::round(samples), static_cast<double>(kMaxSamples)));
}

double upper_median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::string utc_text(double seconds_since_1970) {
  using namespace std::chrono;
  if (!(seconds_since_1970 > 0 && seconds_since_1970 < kMaxWallSeconds)) return "";
  return utc_text(sys_seconds{seconds{static_cast<std::int64_t>(seconds_since_1970)}});
}

}  // namespace lapcast
