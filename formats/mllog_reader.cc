#include "formats/mllog_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace lapcast {
namespace {

// Times that ranks log for one moment differ by less than this, those of two moments by more.
constexpr std::int64_t kOneMoment = 1'000'000'000;

constexpr std::pair<MllogKey, std::string MllogFacts::*> kTextFacts[] = {
    {MllogKey::benchmark, &MllogFacts::benchmark},
    {MllogKey::org, &MllogFacts::org},
    {MllogKey::platform, &MllogFacts::platform},
};
constexpr std::pair<MllogKey, double MllogFacts::*> kNumberFacts[] = {
    {MllogKey::train_samples, &MllogFacts::train_samples},
    {MllogKey::eval_samples, &MllogFacts::eval_samples},
    {MllogKey::global_batch_size, &MllogFacts::global_batch_size},
};

void note(MllogFacts& facts, const MllogEvent& event) {
  for (const auto& [key, fact] : kTextFacts)
    if (key == event.key && (facts.*fact).empty()) facts.*fact = event.text;
  for (const auto& [key, fact] : kNumberFacts)
    if (key == event.key && facts.*fact == 0 && event.value > 0.0) facts.*fact = *event.value;
}

bool ends_something(MllogKey key) {
  return key == MllogKey::epoch_stop || key == MllogKey::block_stop || key == MllogKey::eval_stop ||
         key == MllogKey::eval_accuracy;
}

MllogKey start_of(MllogKey key) {
  if (key == MllogKey::epoch_stop) return MllogKey::epoch_start;
  if (key == MllogKey::block_stop) return MllogKey::block_start;
  return key == MllogKey::eval_stop ? MllogKey::eval_start : key;
}

}  // namespace

// Ranks start at nearly the same time, before anything has ended; their clocks may differ a little.
bool MllogDrafts::starts_another(const MllogEvent& event) const {
  if (drafts_.empty()) return true;
  const MllogDraft& last = drafts_.back();
  if (last.run_stop) return event.time_ns > last.run_stop->time_ns;
  const auto& same = event.key == MllogKey::init_start ? last.init_start : last.run_start;
  return same && progress_ns_ > 0 && event.time_ns > progress_ns_;
}

bool MllogDrafts::open_another(const MllogEvent& event) {
  if (drafts_.size() >= kMostRuns) {
    if (!first_lost_line_) first_lost_line_ = event.line;
    return false;
  }
  drafts_.emplace_back().facts = later_facts_;
  later_facts_ = {};
  occurrences_.clear();
  progress_ns_ = 0;
  return true;
}

bool MllogDrafts::is_far_off(const MllogEvent& event) {
  if (!is_timed(event.key)) return false;
  MllogDraft& draft = drafts_.back();
  if (draft.first_ns == 0) draft.first_ns = event.time_ns;
  if (std::abs(event.time_ns - draft.first_ns) <= kLongestRunNs) return false;
  draft.far_off.add(event.line, "its time is years from that of the first event");
  return true;
}

void MllogDrafts::add(const MllogEvent& event) {
  const bool starts = event.key == MllogKey::init_start || event.key == MllogKey::run_start;
  if (starts ? starts_another(event) : drafts_.empty()) {
    if (!open_another(event)) return;
  }
  if (first_lost_line_ || is_far_off(event)) return;
  switch (event.key) {
    case MllogKey::init_start:
      return add_moment(drafts_.back().init_start, event);
    case MllogKey::run_start:
      if (drafts_.back().facts.benchmark.empty()) drafts_.back().facts.benchmark = event.text;
      return add_moment(drafts_.back().run_start, event);
    case MllogKey::run_stop:
      return add_moment(drafts_.back().run_stop, event);
    default:
      return is_timed(event.key) ? add_unit_event(event) : add_fact(event);
  }
}

void MllogDrafts::add_moment(std::optional<MllogEvent>& moment, const MllogEvent& event) {
  const bool earlier =
      moment && event.key == MllogKey::init_start && event.time_ns < moment->time_ns;
  if (moment) drafts_.back().repeated++;
  if (!moment || earlier) moment = event;
}

// An event with a known number may still be a new one: some logs give every evaluation and every
// block the same number.
bool MllogDrafts::is_repeated(const MllogEvent& event, Occurrence& last) {
  if (start_of(event.key) != event.key) {
    if (last.stopped_ns > 0) return true;
    last.stopped_ns = event.time_ns;
    return false;
  }
  const bool is_result = event.key == MllogKey::eval_accuracy;
  const std::int64_t over_ns = is_result ? last.started_ns : last.stopped_ns;
  const bool another = over_ns > 0 && event.time_ns > over_ns + kOneMoment &&
                       !(is_result && event.value == last.value);
  if (last.started_ns > 0 && !another) return true;
  last = {event.time_ns, 0, event.value};
  return false;
}

void MllogDrafts::add_unit_event(const MllogEvent& event) {
  MllogDraft& draft = drafts_.back();
  if (draft.events.size() >= kMostEvents) {
    draft.too_many++;
    return;
  }
  const double number = event.epoch.value_or(static_cast<double>(event.time_ns));
  if (is_repeated(event, occurrences_[{start_of(event.key), number}])) {
    draft.repeated++;
    return;
  }
  if (ends_something(event.key)) progress_ns_ = std::max(progress_ns_, event.time_ns);
  draft.events.push_back(event);
}

// Some logs print their facts at the end of a run. If a second run follows, the facts may belong to
// that one.
void MllogDrafts::add_fact(const MllogEvent& event) {
  MllogFacts& facts = drafts_.back().facts;
  const bool over = drafts_.back().run_stop.has_value();
  if (event.key == MllogKey::train_samples && facts.train_samples == 0) {
    facts.train_samples_at_end = over || progress_ns_ > 0;
  }
  note(facts, event);
  if (over) note(later_facts_, event);
}

// The reader --------------------------------------------------------------------------------------

void MllogReader::take_line(std::string_view line) {
  const MllogLine kind = parse_mllog_line(line, event_);
  if (kind == MllogLine::broken) return refuse_line();
  ++line_;
  if (kind == MllogLine::foreign) return;
  ++marked_;
  event_.line = line_;
  drafts_.add(event_);
}

void MllogReader::refuse_line() {
  broken_.add(++line_, "a line of an MLPerf log that cannot be read");
}

void MllogReader::keep_rest(std::string_view rest) {
  too_long_ = too_long_ || rest_.size() + rest.size() > kLongestLine;
  if (too_long_) {
    rest_.clear();
  } else {
    rest_ += rest;
  }
}

void MllogReader::feed(std::string_view piece) {
  while (!piece.empty()) {
    const auto* end = static_cast<const char*>(std::memchr(piece.data(), '\n', piece.size()));
    if (end == nullptr) return keep_rest(piece);
    const auto bytes = static_cast<std::size_t>(end - piece.data());
    if (too_long_ || rest_.size() + bytes > kLongestLine) {
      refuse_line();
      too_long_ = false;
    } else if (rest_.empty()) {
      take_line(piece.substr(0, bytes));
    } else {
      rest_ += piece.substr(0, bytes);
      take_line(rest_);
    }
    rest_.clear();
    piece.remove_prefix(bytes + 1);
  }
}

ImportedLog MllogReader::finish(const std::string& source) {
  if (!rest_.empty() || too_long_) feed("\n");
  ImportedLog result;
  for (const MllogDraft& draft : drafts_.drafts()) {
    const bool says_nothing = draft.events.empty() && !draft.run_start;
    if (!says_nothing) result.runs.push_back(mllog_run(draft, source));
  }
  if (broken_.count() > 1)
    broken_.tell(result.problems, "in all");
  else
    broken_.tell_first(result.problems);
  if (const auto line = drafts_.first_lost_line())
    result.problems.push_back(
        fmt::format("line {}: more than {} runs in one file; the rest is left out", *line,
                    MllogDrafts::kMostRuns));
  if (result.runs.empty()) {
    result.problems.push_back(marked_ == 0 ? "no line of an MLPerf log (\":::MLLOG ...\")"
                                           : "no run: neither run_start nor anything timed");
  }
  return result;
}

}  // namespace lapcast
