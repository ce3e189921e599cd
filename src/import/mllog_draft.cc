#include "import/mllog_draft.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "import/lap_log_text.h"

namespace lapcast {
namespace {

/// What ranks log of one moment lies closer together than this; what a rank logs of two does not.
constexpr std::int64_t kOneMoment = 1'000'000'000;

void note(std::string& fact, const std::string& text) {
  if (fact.empty()) fact = text;
}

void note(double& fact, const MllogEvent& event) {
  if (fact == 0 && event.value && *event.value > 0) fact = *event.value;
}

void note(MllogFacts& facts, const MllogEvent& event) {
  switch (event.key) {
    case MllogKey::benchmark:
      return note(facts.benchmark, event.text);
    case MllogKey::org:
      return note(facts.org, event.text);
    case MllogKey::platform:
      return note(facts.platform, event.text);
    case MllogKey::train_samples:
      return note(facts.train_samples, event);
    case MllogKey::eval_samples:
      return note(facts.eval_samples, event);
    case MllogKey::global_batch_size:
      return note(facts.global_batch_size, event);
    default:
      return;
  }
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

// Ranks start at nearly one moment, before anything has ended; their clocks may differ a little.
bool MllogDrafts::starts_another(const MllogEvent& event) const {
  if (drafts_.empty()) return true;
  const MllogDraft& last = drafts_.back();
  if (last.run_stop) return event.time_ns > last.run_stop->time_ns;
  const auto& same = event.key == MllogKey::init_start ? last.init_start : last.run_start;
  return same && progress_ns_ > 0 && event.time_ns > progress_ns_;
}

bool MllogDrafts::open_another(const MllogEvent& event) {
  if (drafts_.size() >= kMostRuns) {
    if (first_lost_line_ == 0) first_lost_line_ = event.line;
    return false;
  }
  drafts_.emplace_back().facts = later_facts_;
  later_facts_ = {};
  seen_.clear();
  progress_ns_ = 0;
  return true;
}

bool MllogDrafts::is_far_off(const MllogEvent& event) {
  if (event.key >= MllogKey::train_samples) return false;  // a fact needs no time
  MllogDraft& draft = drafts_.back();
  if (draft.first_ns == 0) draft.first_ns = event.time_ns;
  if (std::abs(event.time_ns - draft.first_ns) <= kLongestRunNs) return false;
  if (draft.far_off++ == 0) draft.first_far_off = event.line;
  return true;
}

void MllogDrafts::add(const MllogEvent& event) {
  const bool starts = event.key == MllogKey::init_start || event.key == MllogKey::run_start;
  if (starts ? starts_another(event) : drafts_.empty()) {
    if (!open_another(event)) return;
  }
  if (first_lost_line_ > 0 || is_far_off(event)) return;
  switch (event.key) {
    case MllogKey::init_start:
      return add_moment(drafts_.back().init_start, event);
    case MllogKey::run_start:
      note(drafts_.back().facts.benchmark, event.text);
      return add_moment(drafts_.back().run_start, event);
    case MllogKey::run_stop:
      return add_moment(drafts_.back().run_stop, event);
    default:
      return event.key < MllogKey::train_samples ? add_unit_event(event) : add_fact(event);
  }
}

void MllogDrafts::add_moment(std::optional<MllogEvent>& moment, const MllogEvent& event) {
  if (moment) {
    drafts_.back().repeated++;
    const bool earlier = event.key == MllogKey::init_start && event.time_ns < moment->time_ns;
    if (earlier) moment = event;
  } else {
    moment = event;
  }
}

// Some logs give every evaluation and every block the same number.
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
  if (is_repeated(event, seen_[{start_of(event.key), number}])) {
    draft.repeated++;
    return;
  }
  if (ends_something(event.key)) progress_ns_ = std::max(progress_ns_, event.time_ns);
  draft.events.push_back(event);
}

// Some logs print what they are at their end; where a second run follows it may be that one's.
void MllogDrafts::add_fact(const MllogEvent& event) {
  MllogFacts& facts = drafts_.back().facts;
  const bool over = drafts_.back().run_stop.has_value();
  if (event.key == MllogKey::train_samples && facts.train_samples == 0) {
    facts.train_samples_at_end = over || progress_ns_ > 0;
  }
  note(facts, event);
  if (over) note(later_facts_, event);
}

}  // namespace lapcast
