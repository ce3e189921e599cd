#include "formats/tensorboard.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <cmath>
#include <cstdlib>

#include "core/units.h"
#include "formats/imported.h"

namespace lapcast {
namespace {

constexpr double kFirstEventSecond = 1e9;  // 2001
constexpr double kLastEventSecond = 4.1e9;

/// Returns the host in the name of an event file, "events.out.tfevents.TIME.HOST.PID.NUMBER" or, of
/// older ones, without the last two; empty where the name is another one.
std::string event_file_host(std::string_view name) {
  static const RE2 pattern(R"(.*tfevents\.\d+\.(.+?)(?:\.\d+\.\d+)?(?:\.v2|\.gz)*)");
  std::string host;
  RE2::FullMatch(re2::StringPiece(name.data(), name.size()), pattern, &host);
  return printable(host, 60);
}

std::int64_t nanoseconds(double wall_time) {
  if (!(wall_time > kFirstEventSecond && wall_time < kLastEventSecond)) return 0;
  return std::llround(wall_time * 1e6) * 1000;  // at this size a double resolves microseconds
}

}  // namespace

void TensorboardReader::feed(std::string_view piece) {
  records_.feed(piece, [this](std::string_view record) { take(record); });
}

void TensorboardReader::take(std::string_view record) {
  const auto event = parse_summary_event(record);
  const std::int64_t at_ns = event ? nanoseconds(event->wall_time) : 0;
  if (first_ns_ == 0) first_ns_ = at_ns;
  if (at_ns == 0 || std::abs(at_ns - first_ns_) > kLongestRunNs) {
    ++no_event_;
    return;
  }
  for (const SummaryEvent::Scalar& scalar : event->scalars) {
    scalars_.add(scalar.tag, {records_.records(), at_ns, event->step, scalar.value});
  }
}

std::vector<std::string> TensorboardReader::problems() const {
  std::vector<std::string> problems;
  if (records_.is_lost()) {
    problems.push_back(fmt::format("record {}: its length is damaged (CRC): what follows is lost",
                                   records_.records() + 1));
  } else if (records_.is_cut()) {
    problems.push_back(fmt::format("cut off after record {}", records_.records()));
  }
  records_.damaged().tell(problems, "in all");
  if (no_event_ > 0)
    problems.push_back(fmt::format("{} records are not events with a time", no_event_));
  if (scalars_.empty()) problems.emplace_back("no scalar in it");
  return problems;
}

ImportedLog TensorboardReader::finish(const std::string& source) {
  ImportedLog result;
  result.problems = problems();
  if (!scalars_.empty())
    result.runs.push_back(
        scalars_.run("tensorboard", source, event_file_host(source), first_ns_, "record"));
  return result;
}

}  // namespace lapcast
