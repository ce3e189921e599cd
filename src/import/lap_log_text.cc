#include "import/lap_log_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/utc_text.h"
#include "lap/lap_log_format.h"
#include "lap/lap_log_writer.h"

namespace lapcast {

LapLogText::LapLogText(double wall_seconds, std::string_view format) {
  Hello hello;
  hello.wall_seconds = wall_seconds;
  hello.emitter = fmt::format("import-{}/1", format);
  text_ = lap_log_opening(hello);
}

std::int64_t LapLogText::moved(std::int64_t at_ns) {
  return last_ns_ = std::max(last_ns_, at_ns);
}

// event_line() checks words that a user typed; these are numbers and names that fit already, and a
// log may have a hundred thousand of them.
void LapLogText::event(std::int64_t at_ns, std::string_view word, std::string_view argument) {
  const fmt::format_int time(moved(at_ns));
  text_.append(time.data(), time.size());
  text_ += ' ';
  text_ += word;
  if (!argument.empty()) text_ += ' ';
  text_ += argument;
  text_ += '\n';
}

void LapLogText::event(std::int64_t at_ns, std::string_view word, std::int64_t argument) {
  const fmt::format_int number(argument);
  event(at_ns, word, std::string_view(number.data(), number.size()));
}

void LapLogText::plan(const ReportedPlan& plan) {
  text_ += plan_line(last_ns_, plan);
}

void LapLogText::whole_epoch(std::int64_t begin_ns, std::int64_t end_ns, std::int32_t epoch,
                             std::int64_t samples) {
  epoch_begin(begin_ns, epoch);
  lap(end_ns, samples);
  epoch_end(end_ns, epoch);
}

void LapLogText::epoch_begin(std::int64_t at_ns, std::int32_t epoch) {
  event(at_ns, "epoch-begin", std::int64_t{epoch});
}

void LapLogText::epoch_end(std::int64_t at_ns, std::int32_t epoch) {
  event(at_ns, "epoch-end", std::int64_t{epoch});
}

void LapLogText::lap(std::int64_t at_ns, std::int64_t samples) {
  event(at_ns, "i", samples);
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

void LapLogText::bye(std::int64_t at_ns) {
  event(at_ns, "bye");
}

std::int64_t lap_samples(double samples) {
  if (!(samples >= 0.5)) return 0;
  return static_cast<std::int64_t>(std::min(std::round(samples), static_cast<double>(kMaxSamples)));
}

std::string utc_text(double seconds_since_1970) {
  using namespace std::chrono;
  if (!(seconds_since_1970 > 0 && seconds_since_1970 < kMaxWallSeconds)) return "";
  return utc_text(sys_seconds{seconds{static_cast<std::int64_t>(seconds_since_1970)}});
}

}  // namespace lapcast
