#include "remote/slurm_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <limits>
#include <map>
#include <utility>

#include "core/units.h"
#include "machine/proc_text.h"

namespace lapcast {
namespace {

constexpr std::size_t kMostBytes = 4 << 20;
constexpr std::int64_t kMostDays = 365'000;

/// Reads all of the text as a number of at most nine digits.
std::optional<int> digits(std::string_view text) {
  int value = 0;
  if (text.empty() || text.size() > 9 || text[0] < '0' || text[0] > '9') return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::vector<int>> numbers(std::string_view text, char separator) {
  std::vector<int> values;
  for (const std::string_view part : split(text, separator)) {
    const auto value = digits(part);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

/// Returns {h, m, s} of "m", "m:s", "h:m:s", and after days of "h", "h:m", "h:m:s".
std::optional<std::array<int, 3>> clock_parts(const std::vector<int>& parts, bool after_days) {
  if (parts.empty() || parts.size() > 3) return std::nullopt;
  std::array<int, 3> clock{};
  const std::size_t first = after_days || parts.size() == 3 ? 0 : 1;
  std::copy(parts.begin(), parts.end(), clock.begin() + static_cast<std::ptrdiff_t>(first));
  return clock;
}

/// Lists fields in the order in which parse_job() reads them.
const std::vector<std::string_view> kFields{"%i", "%T", "%r", "%P", "%N", "%b",
                                            "%Z", "%C", "%Q", "%l", "%V", "%S"};

bool is_word(std::string_view text) {
  return !text.empty() && text.size() <= 40 && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'A' && c <= 'Z') || c == '_';
  });
}

template <std::size_t N>
bool is_one_of(std::string_view word, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string safe(std::string_view field) {
  return printable(slurm_value(field), 400);
}

std::int64_t count(std::string_view field) {
  return std::max<std::int64_t>(parse_integer(field).value_or(0), 0);
}

Result<SlurmJob> parse_job(const std::vector<std::string_view>& row) {
  SlurmJob job;
  const auto id = parse_integer(row[0]);
  if (!id || *id <= 0) return because("squeue names the job '" + printable(row[0], 60) + "'");
  job.id = *id;
  job.state = std::string(trimmed(row[1]));
  if (!is_word(job.state)) {
    return because("squeue says '" + printable(row[1], 60) + "' is the state of a job");
  }
  job.reason = safe(row[2]);
  job.partition = safe(row[3]);
  job.nodes = safe(row[4]);
  job.gres = safe(row[5]);
  job.folder = std::string(row[6]);
  job.cpus = count(row[7]);
  job.priority = count(row[8]);
  job.time_limit_ns = slurm_duration_ns(row[9]).value_or(0);
  job.submitted_s = slurm_time(row[10]);
  job.started_s = slurm_time(row[11]);
  return job;
}

}  // namespace

std::string slurm_format(const std::vector<std::string_view>& fields) {
  return fmt::format("{}", fmt::join(fields, std::string(1, kSlurmSeparator)));
}

Result<std::vector<std::vector<std::string_view>>> slurm_rows(std::string_view text,
                                                              std::size_t fields) {
  if (text.size() > kMostBytes) return because("Slurm printed more than 4 MiB");
  std::vector<std::vector<std::string_view>> rows;
  for (const std::string_view line : split(text, '\n')) {
    if (trimmed(line).empty()) continue;
    rows.push_back(split(line, kSlurmSeparator));
    if (rows.back().size() != fields) {
      return because(fmt::format("Slurm printed a line with {} fields instead of {}",
                                 rows.back().size(), fields));
    }
  }
  return rows;
}

std::string_view slurm_value(std::string_view field) {
  const std::string_view value = trimmed(field);
  const bool nothing = value == "(null)" || value == "N/A" || value == "None" || value == "none";
  return nothing ? std::string_view{} : value;
}

std::optional<std::int64_t> slurm_time(std::string_view text) {
  using namespace std::chrono;
  const auto halves = split(trimmed(text), 'T');
  if (halves.size() != 2) return std::nullopt;
  const auto date = numbers(halves[0], '-');
  const auto clock = numbers(halves[1], ':');
  if (!date || date->size() != 3 || !clock || clock->size() != 3) return std::nullopt;
  const year_month_day day{year{(*date)[0]}, month{static_cast<unsigned>((*date)[1])},
                           std::chrono::day{static_cast<unsigned>((*date)[2])}};
  const bool in_range = (*date)[0] >= 1970 && (*date)[0] <= 9999 && (*clock)[0] < 24 &&
                        (*clock)[1] < 60 && (*clock)[2] <= 60;
  if (!day.ok() || !in_range) return std::nullopt;
  const auto days = sys_days{day}.time_since_epoch().count();
  return std::int64_t{days} * 86'400 + (*clock)[0] * 3600 + (*clock)[1] * 60 + (*clock)[2];
}

std::optional<std::int64_t> slurm_duration_ns(std::string_view text) {
  const std::string_view value = trimmed(text);
  if (value == "UNLIMITED" || value == "infinite") return 0;
  const std::size_t dash = value.find('-');
  const bool has_days = dash != std::string_view::npos;
  const auto days = has_days ? digits(value.substr(0, dash)) : 0;
  const auto parts = numbers(has_days ? value.substr(dash + 1) : value, ':');
  if (!days || *days > kMostDays / 10 || !parts) return std::nullopt;
  const auto clock = clock_parts(*parts, has_days);
  if (!clock) return std::nullopt;
  const std::int64_t seconds = std::int64_t{*days} * 86'400 + std::int64_t{(*clock)[0]} * 3600 +
                               std::int64_t{(*clock)[1]} * 60 + (*clock)[2];
  if (seconds > kMostDays / 10 * 86'400) return std::nullopt;
  return seconds * 1'000'000'000;
}

std::string slurm_duration_text(std::int64_t ns) {
  const std::int64_t seconds = (ns + 999'999'999) / 1'000'000'000;
  return fmt::format("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

SlurmJob::Phase SlurmJob::phase() const {
  static constexpr std::array<std::string_view, 6> kWaiting{
      "PENDING", "CONFIGURING", "REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD", "SPECIAL_EXIT"};
  // A job that is COMPLETING may yet be requeued: it has not ended.
  static constexpr std::array<std::string_view, 10> kEnded{
      "COMPLETED", "CANCELLED", "FAILED",        "TIMEOUT",   "NODE_FAIL",
      "BOOT_FAIL", "DEADLINE",  "OUT_OF_MEMORY", "PREEMPTED", "REVOKED"};
  if (is_one_of(state, kWaiting)) return Phase::waiting;
  return is_one_of(state, kEnded) ? Phase::ended : Phase::running;
}

bool SlurmJob::held() const {
  return phase() == Phase::waiting &&
         (reason.starts_with("JobHeld") || state == "REQUEUE_HOLD" || state == "SPECIAL_EXIT" ||
          reason == "launch failed requeued held");
}

std::vector<std::string> squeue_options() {
  return {"--noheader", "--all", "--states=all", "--format=" + slurm_format(kFields)};
}

Result<std::vector<SlurmJob>> parse_squeue(std::string_view text) {
  const auto rows = slurm_rows(text, kFields.size());
  if (!rows) return tl::unexpected(rows.error());
  std::vector<SlurmJob> jobs;
  for (const auto& row : *rows) {
    Result<SlurmJob> job = parse_job(row);
    if (!job) return tl::unexpected(job.error());
    jobs.push_back(std::move(*job));
  }
  return jobs;
}

Result<std::int64_t> parse_sbatch(std::string_view text) {
  const std::string_view line = trimmed(text);
  const auto id = parse_integer(line.substr(0, line.find(';')));
  if (!id || *id <= 0 || line.find('\n') != std::string_view::npos) {
    return because("sbatch printed '" + printable(line, 100) + "' instead of a job's number");
  }
  return *id;
}

std::optional<SlurmEnd> parse_sacct(std::string_view text) {
  std::optional<SlurmEnd> end;
  for (const std::string_view line : split(text, '\n')) {
    const auto words = split(trimmed(line), ' ');  // "CANCELLED by 1000"
    if (!is_word(words[0])) continue;
    end = SlurmEnd{std::string(words[0]), {}};
    if (words.size() == 3 && words[1] == "by") end->cancelled_by = parse_integer(words[2]);
  }
  return end;
}

std::string why_unusable(std::string_view states) {
  static const std::map<std::string_view, std::string_view> kUnusable{
      {"down", "down"},
      {"drained", "drained"},
      {"draining", "drained"},
      {"drain", "drained"},
      {"fail", "failing"},
      {"failing", "failing"},
      {"inval", "invalid"},
      {"unknown", "in an unknown state"},
      {"future", "not there yet"},
      {"error", "failing"},
      {"no_respond", "not answering"},
      {"blocked", "blocked"},
      {"maint", "in maintenance"},
      {"reserved", "reserved"},
      {"resv", "reserved"}};
  if (states.ends_with('*')) return "not answering";
  if (states.ends_with('$')) return "in maintenance";
  if (states.empty()) return "in an unknown state";
  for (std::string_view state : split(states, '+')) {
    while (!state.empty() && (state.back() < 'a' || state.back() > 'z')) state.remove_suffix(1);
    if (const auto known = kUnusable.find(state); known != kUnusable.end())
      return std::string(known->second);
  }
  return {};
}

}  // namespace lapcast
