#include "formats/event_file_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/crc32c.h"
#include "forecast/lap_series.h"
#include "history/assessment.h"
#include "run/settings.h"

namespace lapcast {
namespace {

/// Returns the low `bytes` bytes of a number in little-endian order.
std::string in_bytes(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i));
  return text;
}

std::string varint(std::uint64_t value) {
  std::string text;
  for (; value > 0x7f; value >>= 7) text += static_cast<char>(value | 0x80);
  return text + static_cast<char>(value);
}

/// Lists the wire types of a field with protobuf's numbers.
enum class WireType : std::uint8_t { number = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

std::string tag_of(int field, WireType type) {
  return varint(static_cast<std::uint64_t>(field) << 3 | static_cast<std::uint64_t>(type));
}

std::string bytes_field(int field, std::string_view bytes) {
  return tag_of(field, WireType::bytes) + varint(bytes.size()) + std::string(bytes);
}

std::string time_field(double wall_time) {
  return tag_of(1, WireType::fixed64) + in_bytes(std::bit_cast<std::uint64_t>(wall_time), 8);
}

class EventWriter {
 public:
  explicit EventWriter(const RunTimeline& timeline) : started_s_(timeline.started_s) {
    bytes_ = tf_record(version_event(started_s_));
  }
  void add(std::int64_t at_ns, std::int64_t step, std::string_view tag, double value) {
    if (std::isfinite(value))
      bytes_ += tf_record(
          scalar_event(started_s_ + from_ns(at_ns).count(), step, tag, static_cast<float>(value)));
  }
  std::string take() { return std::move(bytes_); }

 private:
  double started_s_;
  std::string bytes_;
};

void add_laps(const RunTimeline& timeline, EventWriter& events) {
  const std::vector<Lap>& laps = timeline.log.laps;
  for (std::size_t i = 0; i < std::min(known_laps(laps), timeline.costs_s.size()); ++i) {
    const double seconds = timeline.costs_s[i];
    events.add(laps[i].end_ns, laps[i].index + 1, "lap/seconds", seconds);
    if (laps[i].samples > 0 && seconds > 0)
      events.add(laps[i].end_ns, laps[i].index + 1, "lap/samples_per_second",
                 laps[i].samples / seconds);
  }
}

/// Replaces each character that does not belong in a folder name with '_'.
std::string name_part(std::string_view word) {
  constexpr std::size_t kLongest = 60;
  std::string name(word.substr(0, kLongest));
  std::ranges::replace_if(
      name,
      [](char c) {
        const bool is_word =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        return !is_word && std::string_view("._=-").find(c) == std::string_view::npos;
      },
      '_');
  return name;
}

}  // namespace

std::string tf_record(std::string_view data) {
  const std::string length = in_bytes(data.size(), 8);
  return length + in_bytes(masked_crc32c(length), 4) + std::string(data) +
         in_bytes(masked_crc32c(data), 4);
}

std::string version_event(double wall_time) {
  return time_field(wall_time) + bytes_field(3, "brain.Event:2");
}

std::string scalar_event(double wall_time, std::int64_t step, std::string_view tag, float value) {
  const std::string scalar = bytes_field(1, tag) + tag_of(2, WireType::fixed32) +
                             in_bytes(std::bit_cast<std::uint32_t>(value), 4);
  return time_field(wall_time) + tag_of(2, WireType::number) +
         varint(static_cast<std::uint64_t>(step)) + bytes_field(5, bytes_field(1, scalar));
}

std::string event_file(const RunTimeline& timeline) {
  EventWriter events(timeline);
  add_laps(timeline, events);
  for (const ValidationSpan& each : timeline.log.validations)
    events.add(each.span.end_ns, each.laps_before, "validation/seconds",
               each.span.seconds().count());
  for (const StageSpan& each : timeline.log.stages)
    if (each.name == "checkpoint")
      events.add(each.span.end_ns, each.laps_before, "checkpoint/seconds",
                 each.span.seconds().count());
  for (const MetricPoint& each : timeline.log.metrics)
    events.add(each.at_ns, each.laps_before, "metrics/" + each.name, each.value);
  return events.take();
}

std::string event_file_name(const RunTimeline& timeline) {
  return fmt::format("events.out.tfevents.{:010.0f}.lapcast", std::floor(timeline.started_s));
}

std::string event_folder_name(const RunContext& context) {
  const std::string program = context.program.empty() ? "" : context.program.front();
  std::string name;
  for (const std::string& word :
       {program.substr(program.rfind('/') + 1), context.machine_type.name, settings_text(context)})
    if (!word.empty()) name += name_part(word) + "_";
  return name + context.id;
}

}  // namespace lapcast
