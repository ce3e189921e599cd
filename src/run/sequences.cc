#include "run/sequences.h"

#include <string_view>
#include <utility>

#include "lap/lap_log_format.h"

namespace lapcast {
namespace {

constexpr std::string_view kSequenceEvent = " sequence ";

/// Returns what the lines of one log say. A line of larger batches, of a length that is no longer,
/// or the first one of tokens, begins anew; of other lines only the largest batches count, or
/// tokens.
SequencesSeen sequences_in(std::string_view log) {
  SequencesSeen seen;
  std::int64_t samples = 0;
  for (std::size_t at = log.find(kSequenceEvent); at != log.npos;
       at = log.find(kSequenceEvent, at + 1)) {
    const std::string_view rest = log.substr(at + kSequenceEvent.size());
    const std::size_t end = rest.find('\n');
    const std::size_t begin = log.rfind('\n', at);
    if (end == rest.npos || begin == log.npos ||
        !parse_count(log.substr(begin + 1, at - begin - 1)))
      continue;
    WordReader words(rest.substr(0, end));
    const auto length = parse_count(words.next());
    if (!length || *length == 0) continue;
    SequencePeak peak{*length};
    std::int64_t of_batch = 0, most = 0;
    std::string from;
    bool is_of_tokens = false;
    while (!words.done()) {
      const auto field = parse_field(words.next());
      if (!field) break;
      const std::int64_t count = parse_count(field->value).value_or(0);
      if (field->key == "samples") of_batch = count;
      if (field->key == "process") peak.process_bytes = count;
      if (field->key == "device") peak.device_bytes = count;
      if (field->key == "most") most = count;
      if (field->key == "unit") is_of_tokens = field->value == "tokens";
      if (field->key == "from" && lapcast::is_name(field->value)) from = field->value;
    }
    if (is_of_tokens && !std::exchange(seen.by_tokens, true)) {
      seen.peaks.clear();
      samples = of_batch;
    }
    if (of_batch < samples || is_of_tokens != seen.by_tokens) continue;
    if (of_batch > samples || (!seen.peaks.empty() && seen.peaks.back().length >= *length))
      seen.peaks.clear();
    samples = of_batch;
    seen.peaks.push_back(peak);
    seen.most = most;
    seen.most_from = std::move(from);
  }
  return seen;
}

}  // namespace

SequencesSeen sequences_of(const Run& run) {
  SequencesSeen longest;
  for (const std::string& log : run.lap_logs) {
    SequencesSeen seen = sequences_in(log);
    if (!seen.peaks.empty() &&
        (longest.peaks.empty() || seen.peaks.back().length > longest.peaks.back().length))
      longest = std::move(seen);
  }
  return longest;
}

}  // namespace lapcast
