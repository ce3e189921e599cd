#include "remote/slurm_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "core/units.h"
#include "machine/proc_text.h"
#include "remote/slurm_text.h"

namespace lapcast {
namespace {

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

}  // namespace lapcast
