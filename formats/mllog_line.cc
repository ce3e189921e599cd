#include "formats/mllog_line.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <iterator>
#include <utility>

namespace lapcast {
namespace {

constexpr std::string_view kMark = ":::ML";
constexpr std::size_t kMostMllogText = 200;           // bytes of a value
constexpr std::int64_t kFirstSecond = 1'000'000'000;  // 2001
constexpr std::int64_t kLastSecond = 4'102'444'800;   // 2100

constexpr std::pair<std::string_view, MllogKey> kKeys[] = {
    {"init_start", MllogKey::init_start},
    {"run_start", MllogKey::run_start},
    {"run_stop", MllogKey::run_stop},
    {"epoch_start", MllogKey::epoch_start},
    {"epoch_stop", MllogKey::epoch_stop},
    {"train_epoch", MllogKey::epoch_start},  // of v0.5, which logs no end
    {"block_start", MllogKey::block_start},
    {"block_stop", MllogKey::block_stop},
    {"eval_start", MllogKey::eval_start},
    {"eval_stop", MllogKey::eval_stop},
    {"eval_accuracy", MllogKey::eval_accuracy},
    {"train_samples", MllogKey::train_samples},
    {"preproc_num_train_examples", MllogKey::train_samples},
    {"eval_samples", MllogKey::eval_samples},
    {"eval_size", MllogKey::eval_samples},
    {"preproc_num_eval_examples", MllogKey::eval_samples},
    {"global_batch_size", MllogKey::global_batch_size},
    {"submission_benchmark", MllogKey::benchmark},
    {"submission_org", MllogKey::org},
    {"submission_platform", MllogKey::platform},
};

MllogKey key_of(std::string_view name) {
  const auto* const found =
      std::ranges::find(kKeys, name, &std::pair<std::string_view, MllogKey>::first);
  return found == std::end(kKeys) ? MllogKey::other : found->second;
}

std::int64_t within_reason(std::int64_t ns) {
  const bool known = ns >= kFirstSecond * 1'000'000'000 && ns < kLastSecond * 1'000'000'000;
  return known ? ns : 0;
}

/// Parses "1541316451" or "1544237122.610742092" as nanoseconds and cuts off further digits;
/// returns 0 for other text.
std::int64_t parse_unix_time(std::string_view text) {
  std::int64_t ns = 0;
  int decimals = -1;
  for (const char c : text) {
    if (c == '.' && decimals < 0) {
      decimals = 0;
    } else if (c >= '0' && c <= '9' && ns < 900'000'000'000'000'000) {
      if (decimals == 9) continue;
      ns = ns * 10 + (c - '0');
      if (decimals >= 0) ++decimals;
    } else {
      return 0;
    }
  }
  for (int i = std::max(decimals, 0); i < 9; ++i) {
    if (ns > 900'000'000'000'000'000) return 0;
    ns *= 10;
  }
  return within_reason(ns);
}

std::int64_t parse_milliseconds(std::string_view text) {
  std::int64_t ms = 0;  // digits after the point are finer than these logs' clocks
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), ms);
  if (error != std::errc{} || ms <= 0 || ms >= kLastSecond * 1000) return 0;
  return within_reason(ms * 1'000'000);
}

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

/// Takes the first of several metrics (such as the box and mask accuracy of Mask R-CNN), and an
/// epoch next to it.
void take_object(std::string_view object, MllogEvent& event) {
  JsonMembers members(object);
  while (members.next()) {
    const auto number = json_number(members.value());
    if (members.key() == "epoch") {
      event.epoch = number;
    } else if (members.key() == "success") {
      event.text = members.value().find("true") == std::string_view::npos ? "aborted" : "success";
    } else if (number && !event.value) {
      event.value = number;
    }
  }
}

void take_value(std::string_view value, MllogEvent& event) {
  if (value.starts_with('{')) return take_object(value, event);
  event.value = json_number(value);
  if (const auto text = json_text(value)) {
    event.text = text->substr(0, kMostMllogText);
    event.value = json_number(*text);  // some write numbers as text
  }
}

bool take_metadata(std::string_view object, MllogEvent& event) {
  JsonMembers members(object);
  while (members.next()) {
    const auto number = json_number(members.value());
    if (members.key() == "epoch_num" && number) event.epoch = number;
    if (members.key() == "first_epoch_num" && number && !event.epoch) event.epoch = number;
    if (members.key() == "epoch_count") event.epoch_count = number.value_or(0);
    if (members.key() == "samples_count") event.samples = number;
    if (members.key() == "step") event.step = number;
    if (members.key() == "status" && event.key == MllogKey::run_stop) {
      event.text = json_text(members.value()).value_or("").substr(0, kMostMllogText);
    }
  }
  return members.ok();
}

MllogLine checked(const MllogEvent& event) {
  return is_timed(event.key) && event.time_ns == 0 ? MllogLine::broken : MllogLine::event;
}

// ":::MLLOG {...}" --------------------------------------------------------------------------------

MllogLine parse_mllog(std::string_view object, MllogEvent& event) {
  MllogKey key = MllogKey::other;
  std::string_view time;
  std::string_view value;
  std::string_view metadata;
  JsonMembers members(object);
  while (members.next()) {
    const std::string_view name = members.key();
    if (name == "key") {
      key = key_of(json_text(members.value()).value_or(""));
      if (key == MllogKey::other) return MllogLine::foreign;  // most lines: the rest is not read
    } else if (name == "time_ms") {
      time = members.value();
    } else if (name == "value") {
      value = members.value();
    } else if (name == "metadata") {
      metadata = members.value();
    }
  }
  if (!members.is_over()) return MllogLine::broken;
  if (key == MllogKey::other) return MllogLine::foreign;
  event = MllogEvent{};
  event.key = key;
  event.time_ns = parse_milliseconds(time);
  take_value(value, event);
  if (!metadata.empty() && !take_metadata(metadata, event)) return MllogLine::broken;
  return checked(event);
}

// ":::MLL 1560901056.020 key: {...}" --------------------------------------------------------------

MllogLine parse_mll(std::string_view rest, MllogEvent& event) {
  const std::size_t space = rest.find(' ');
  const std::size_t colon = rest.find(": ", space);
  if (space == std::string_view::npos || colon == std::string_view::npos) return MllogLine::broken;
  event.key = key_of(rest.substr(space + 1, colon - space - 1));
  if (event.key == MllogKey::other) return MllogLine::foreign;
  event.time_ns = parse_unix_time(rest.substr(0, space));
  JsonMembers members(rest.substr(colon + 2));
  while (members.next()) {
    if (members.key() == "value") take_value(members.value(), event);
    if (members.key() == "metadata" && !take_metadata(members.value(), event)) {
      return MllogLine::broken;
    }
  }
  return members.is_over() ? checked(event) : MllogLine::broken;
}

// ":::MLPv0.5.0 resnet 1541316457 (net.cpp:145) key: value" ---------------------------------------

/// Returns the text after "(file:line) "; the file name may contain blanks and brackets.
std::optional<std::string_view> after_place(std::string_view rest) {
  const std::size_t end = rest.find(") ");
  if (!rest.starts_with('(') || end == std::string_view::npos) return std::nullopt;
  return rest.substr(end + 2);
}

void take_old_value(std::string_view value, MllogEvent& event) {
  take_value(trimmed(value), event);
  // The value of epoch_start and of evaluations is the number of the epoch.
  const bool is_epoch = event.key == MllogKey::epoch_start || event.key == MllogKey::eval_start ||
                        event.key == MllogKey::eval_stop;
  if (is_epoch && !event.epoch) event.epoch = event.value;
}

MllogLine parse_mlp(std::string_view rest, MllogEvent& event) {
  const std::size_t benchmark_end = rest.find(' ');
  if (benchmark_end == std::string_view::npos) return MllogLine::broken;
  const std::size_t time_end = rest.find(' ', benchmark_end + 1);
  if (time_end == std::string_view::npos) return MllogLine::broken;
  const auto tag = after_place(rest.substr(time_end + 1));
  if (!tag) return MllogLine::broken;
  const std::size_t colon = tag->find(':');
  event.key = key_of(trimmed(tag->substr(0, colon)));
  if (event.key == MllogKey::other) return MllogLine::foreign;
  event.time_ns = parse_unix_time(rest.substr(benchmark_end + 1, time_end - benchmark_end - 1));
  if (colon != std::string_view::npos) take_old_value(tag->substr(colon + 1), event);
  if (event.key == MllogKey::run_start) {
    event.text = rest.substr(0, std::min(benchmark_end, kMostMllogText));
  }
  return checked(event);
}

std::optional<std::size_t> find_mark(std::string_view line) {
  if (line.starts_with(kMark)) return 0;
  const void* found = memmem(line.data(), line.size(), kMark.data(), kMark.size());
  if (found == nullptr) return std::nullopt;
  return static_cast<std::size_t>(static_cast<const char*>(found) - line.data());
}

}  // namespace

MllogLine parse_mllog_line(std::string_view line, MllogEvent& event) {
  const auto mark = find_mark(line);
  if (!mark) return MllogLine::foreign;
  const std::string_view rest = line.substr(*mark + kMark.size());
  if (rest.starts_with("LOG ")) return parse_mllog(rest.substr(4), event);
  event = MllogEvent{};
  if (rest.starts_with("L ")) return parse_mll(rest.substr(2), event);
  if (rest.starts_with("Pv0.5.0 ")) return parse_mlp(rest.substr(8), event);
  return MllogLine::foreign;
}

// JSON --------------------------------------------------------------------------------------------

JsonMembers::JsonMembers(std::string_view text) : at_(text.data()), end_(at_ + text.size()) {
  skip_blanks();
  if (!take('{')) fail();
}

bool JsonMembers::next() {
  if (!ok_ || over_) return false;
  skip_blanks();
  if (take('}')) {
    over_ = true;
    return false;
  }
  if (!first_ && !take(',')) return fail();
  first_ = false;
  skip_blanks();
  const auto key = take_string();
  if (!key) return fail();
  skip_blanks();
  if (!take(':')) return fail();
  skip_blanks();
  const auto value = take_value();
  if (!value) return fail();
  key_ = *key;
  value_ = *value;
  return true;
}

bool JsonMembers::fail() {
  ok_ = false;
  return false;
}

void JsonMembers::skip_blanks() {
  while (at_ != end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\r' || *at_ == '\n')) ++at_;
}

bool JsonMembers::take(char c) {
  if (at_ == end_ || *at_ != c) return false;
  ++at_;
  return true;
}

/// Returns the text between the quotes.
std::optional<std::string_view> JsonMembers::take_string() {
  if (!take('"')) return std::nullopt;
  const char* const begin = at_;
  while (true) {
    const auto left = static_cast<std::size_t>(end_ - at_);
    const auto* quote = static_cast<const char*>(std::memchr(at_, '"', left));
    if (quote == nullptr) return std::nullopt;
    const char* slash = quote;
    while (slash != begin && slash[-1] == '\\') --slash;
    at_ = quote + 1;
    if ((quote - slash) % 2 == 0) {
      return std::string_view(begin, static_cast<std::size_t>(quote - begin));
    }
  }
}

std::optional<std::string_view> JsonMembers::take_value() {
  if (at_ == end_) return std::nullopt;
  const char* const begin = at_;
  if (*at_ == '"') {
    if (!take_string()) return std::nullopt;
  } else if (*at_ == '{' || *at_ == '[') {
    if (!skip_nested()) return std::nullopt;
  } else {
    while (at_ != end_ && *at_ != ',' && *at_ != '}' && *at_ != ' ' && *at_ != '"') ++at_;
    if (at_ == begin) return std::nullopt;
  }
  return std::string_view(begin, static_cast<std::size_t>(at_ - begin));
}

/// Skips an object or a list. Counts brackets without matching their kind.
bool JsonMembers::skip_nested() {
  int depth = 0;
  while (at_ != end_) {
    const char c = *at_;
    if (c == '"') {
      if (!take_string()) return false;
      continue;
    }
    ++at_;
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && --depth == 0) return true;
  }
  return false;
}

std::optional<double> json_number(std::string_view value) {
  double number = 0;
  const char* const end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, number);
  if (error != std::errc{} || stop != end || value.empty()) return std::nullopt;
  const char first = value.front() == '-' && value.size() > 1 ? value[1] : value.front();
  if (first < '0' || first > '9') return std::nullopt;
  return number;
}

std::optional<std::string_view> json_text(std::string_view value) {
  if (value.size() < 2 || value.front() != '"' || value.back() != '"') return std::nullopt;
  return value.substr(1, value.size() - 2);
}

}  // namespace lapcast
