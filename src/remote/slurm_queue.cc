#include "remote/slurm_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include "core/units.h"
#include "machine/proc_text.h"
#include "remote/patience.h"
#include "remote/slurm_text.h"

namespace lapcast {
namespace {

constexpr Seconds kTimeout{60};
/// Says that an earlier submission from this folder was cut off: whether it made a job is not
/// known.
constexpr int kCutOffSubmission = 75;

/// Takes the folder as $1 and then the command of sbatch. sbatch holds the lock, too: after a
/// lapcast was killed, the next one waits for the result of its sbatch.
constexpr const char* kSubmit =
    R"(umask 077; f=$1; cd "$f" || exit 73; shift; exec 9>submit.lock; flock 9 2>/dev/null; )"
    R"([ -s job ] && exec cat job; )"
    R"(for d in "$f".*.*; do [ -e "$d/ended" ] || continue; d=${d#"$f".}; )"
    R"(echo "${d%%.*}"; exit; done; )"
    R"([ -s job.new ] && mv job.new job && exec cat job; )"
    R"([ -e job.new ] && exit 75; "$@" >job.new && mv job.new job && cat job)";
/// Takes the folder as $1 and the job as $2.
constexpr const char* kNoteJob =
    R"(umask 077; cd "$1" && printf '%s\n' "$2" >job.new && mv job.new job)";
/// Takes the folder as $1 and then the command of squeue. A life counts once it has taken its
/// record.
constexpr const char* kLook =
    R"(for d in "$1".*.*; do [ -s "$d/holder" ] && printf 'L%s\n' "${d#"$1"}"; )"
    R"([ -e "$d/ended" ] && printf 'E%s\n' "${d#"$1"}"; done; shift; exec "$@")";

std::vector<std::string> in_shell(const char* script, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"sh", "-c", script, "sh"});
  return arguments;
}

std::vector<std::string> squeue(std::vector<std::string> selection) {
  std::vector<std::string> arguments{"squeue"};
  for (std::string& option : squeue_options()) arguments.push_back(std::move(option));
  std::move(selection.begin(), selection.end(), std::back_inserter(arguments));
  return slurm_command(arguments);
}

bool has_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    return text.find(word) != std::string_view::npos;
  });
}

bool passes(std::string_view error) {
  return has_any(error, {"Unable to contact slurm controller", "Socket timed out", "timed out",
                         "Connection refused", "Connection reset", "Zero Bytes were transmitted",
                         "emporarily unable", "in standby mode", "authentication credential",
                         "authentication error", "Transport endpoint", "job submit limit",
                         "SubmitJobLimit", "SubmitJobPerUserLimit", "try again"});
}

/// Returns what follows "error: " in "sbatch: error: Batch job submission failed: Invalid partition
/// name"; each of several lines once.
std::string what_it_said(std::string_view error) {
  std::string text;
  for (const std::string_view line : split(error, '\n')) {
    const std::size_t at = line.find("error: ");
    const std::string_view said =
        trimmed(at == std::string_view::npos ? line : line.substr(at + 7));
    if (said.empty() || text.find(said) != std::string::npos) continue;
    text += (text.empty() ? "" : "; ") + std::string(said);
  }
  return printable(text, 400);
}

HostFailure answer(const Reason& reason) {
  return {reason, false};
}

constexpr const char* kList =
    R"(for d in "$1".*.*; do [ -d "$d" ] || continue; printf 'L%s\n' "${d#"$1"}"; )"
    R"(head -c 4096 "$d/queue" 2>/dev/null; done; :)";

/// Returns the total wait of all lives; none if it is known of no life.
std::optional<Seconds> time_in_queue(const std::vector<SlurmStart>& history) {
  std::optional<Seconds> sum;
  for (const SlurmStart& start : history) {
    if (!start.job || !start.job->submitted_s || !start.job->started_s) continue;
    const std::int64_t waited = *start.job->started_s - *start.job->submitted_s;
    sum =
        sum.value_or(Seconds{0}) + Seconds{static_cast<double>(std::max<std::int64_t>(waited, 0))};
  }
  return sum;
}

}  // namespace

HostFailure SlurmQueue::failure(const CommandOutput& output) const {
  if (output.status == 127)
    return answer(
        {fmt::format("{} has no commands of Slurm on its PATH ({}); name the cluster's login "
                     "node with login = \"HOST\"",
                     host_.name(), what_it_said(output.error))});
  std::string said = what_it_said(output.error);
  if (said.empty()) said = fmt::format("exit status {}", output.status);
  if (passes(output.error)) return {{"Slurm does not answer: " + said}, true};
  return answer({"Slurm refuses: " + said});
}

HostResult<std::int64_t> SlurmQueue::submit(const std::string& folder, const std::string& job_name,
                                            const std::vector<std::string>& command,
                                            const std::string& script) const {
  std::vector<std::string> arguments{folder};
  arguments.insert(arguments.end(), command.begin(), command.end());
  const CommandOptions options{.input = script, .timeout = kTimeout};
  auto output = host_.run(in_shell(kSubmit, arguments), options);
  if (output && output->status == kCutOffSubmission) {
    const auto found = find(folder, job_name);
    if (!found) return tl::unexpected(found.error());
    if (*found) {
      host_.run(in_shell(kNoteJob, {folder, std::to_string(**found)}));
      return **found;
    }
    if (const auto forgotten = forget(folder); !forgotten) return tl::unexpected(forgotten.error());
    output = host_.run(in_shell(kSubmit, arguments), options);
  }
  if (!output) return tl::unexpected(output.error());
  if (output->status != 0) {
    const HostFailure why = failure(*output);
    if (!why.passes) forget(folder);
    return tl::unexpected(why);
  }
  const Result<std::int64_t> id = parse_sbatch(output->output);
  if (!id) return tl::unexpected(answer(id.error()));
  return *id;
}

HostResult<void> SlurmQueue::forget(const std::string& folder) const {
  const auto output = host_.run({"rm", "-f", "--", folder + "/job", folder + "/job.new"});
  if (!output) return tl::unexpected(output.error());
  return {};
}

HostResult<std::optional<std::int64_t>> SlurmQueue::find(const std::string& folder,
                                                         const std::string& job_name) const {
  const auto output = host_.run(squeue({"--name=" + job_name}), {.timeout = kTimeout});
  if (!output) return tl::unexpected(output.error());
  if (output->status != 0) return tl::unexpected(failure(*output));
  const auto jobs = parse_squeue(output->output);
  if (!jobs) return tl::unexpected(answer(jobs.error()));
  const auto found = std::find_if(jobs->begin(), jobs->end(),
                                  [&](const SlurmJob& job) { return job.folder == folder; });
  return found == jobs->end() ? std::nullopt : std::optional(found->id);
}

std::vector<std::string> SlurmQueue::look_command(const std::string& folder, std::int64_t job) {
  std::vector<std::string> arguments = squeue({fmt::format("--jobs={}", job)});
  arguments.insert(arguments.begin(), folder);
  return in_shell(kLook, arguments);
}

HostResult<std::optional<SlurmJob>> SlurmQueue::read_look(const CommandOutput& output) const {
  std::string_view rest = output.output;
  take_lives(rest);
  if (output.error.find("Invalid job id") != std::string::npos) return std::nullopt;
  if (output.status != 0) return tl::unexpected(failure(output));
  const auto jobs = parse_squeue(rest);
  if (!jobs) return tl::unexpected(answer(jobs.error()));
  return jobs->empty() ? std::nullopt : std::optional(jobs->front());
}

HostResult<std::int64_t> SlurmQueue::ahead_of(const SlurmJob& job) const {
  const auto output = host_.run(slurm_command({"squeue", "--noheader", "--all", "--states=PENDING",
                                               "--format=%Q", "--partition=" + job.partition}),
                                {.timeout = kTimeout});
  if (!output) return tl::unexpected(output.error());
  if (output->status != 0) return tl::unexpected(failure(*output));
  std::int64_t ahead = 0;
  for (const std::string_view line : split(output->output, '\n'))
    if (parse_integer(line).value_or(0) > job.priority) ++ahead;
  return ahead;
}

std::optional<SlurmEnd> SlurmQueue::ended(std::int64_t job) const {
  const auto output = host_.run(
      slurm_command({"sacct", "-X", "-n", "-P", "-D", "-o", "State", "-j", std::to_string(job)}),
      {.timeout = kTimeout});
  return output && output->status == 0 ? parse_sacct(output->output) : std::nullopt;
}

std::string SlurmQueue::user_name(std::int64_t id) const {
  const auto output = host_.run({"id", "-un", std::to_string(id)}, {.timeout = kTimeout});
  const std::string name =
      output && output->status == 0 ? printable(trimmed(output->output), 60) : "";
  return name.empty() ? fmt::format("user {}", id) : name;
}

HostResult<void> SlurmQueue::cancel(std::int64_t job) const {
  const auto output =
      host_.run(slurm_command({"scancel", std::to_string(job)}), {.timeout = kTimeout});
  if (!output) return tl::unexpected(output.error());
  const bool had_ended = has_any(output->error, {"Invalid job id", "already complet"});
  if (output->status != 0 && !had_ended) return tl::unexpected(failure(*output));
  return {};
}

Result<std::vector<NodeType>> node_types(const Place& cluster) {
  const auto host = host_of(cluster);
  const std::string& partition = std::get<SlurmPlace>(cluster).partition;
  const auto ask = [&](bool tiers) {
    std::vector<std::string> arguments{"sinfo"};
    for (std::string& option : sinfo_options(partition, tiers))
      arguments.push_back(std::move(option));
    return host->run(slurm_command(arguments), {.timeout = kTimeout});
  };
  auto output = ask(true);
  if (output && output->status != 0 && output->status != 127)
    if (auto plainer = ask(false); plainer && plainer->status == 0) output = std::move(plainer);
  if (!output) return tl::unexpected(output.error().reason);
  const char* const ask_elsewhere =
      "run this on a login node of the cluster, or name one with --login HOST";
  if (output->status == 127)
    return because(
        fmt::format("{} has no commands of Slurm on its PATH; {}", host->name(), ask_elsewhere));
  if (output->status != 0 && has_any(output->error, {"establish a configuration source"}))
    return because(fmt::format("{} belongs to no Slurm cluster: sinfo finds no configuration; {}",
                               host->name(), ask_elsewhere));
  if (output->status != 0)
    return because(
        fmt::format("sinfo failed on {}: {}", host->name(), what_it_said(output->error)));
  auto types = parse_sinfo(output->output);
  if (types && types->empty()) {
    const std::string where =
        partition.empty() ? "" : " in the partition '" + printable(partition, 100) + "'";
    return because("sinfo shows no nodes" + where +
                   (trimmed(output->output).empty()
                        ? ""
                        : "; if the cluster powers its nodes down, it hides them: power one up "
                          "(srun true) and run this again, or have PrivateData=cloud set in its "
                          "slurm.conf"));
  }
  return types;
}

Result<PartitionLimit> partition_limit(const Place& cluster) {
  const auto types = node_types(cluster);
  if (!types) return tl::unexpected(types.error());
  std::set<std::string> names;
  const std::string& partition = std::get<SlurmPlace>(cluster).partition;
  PartitionLimit limit{partition, Seconds{0}};
  for (const NodeType& type : *types) {
    names.insert(type.partition);
    const Seconds most = from_ns(type.longest_limit_ns);
    limit.most = type.longest_limit_ns == 0 || !limit.most
                     ? std::nullopt
                     : std::optional(std::max(*limit.most, most));
  }
  if (partition.empty() && names.size() != 1)
    return because("the machine names no partition, and the cluster has several");
  if (limit.name.empty()) limit.name = *names.begin();
  return limit;
}

void SlurmPace::later(MonotonicNs now) {
  set(std::min(std::max(kFirstWait, wait_ns_ + wait_ns_ / 2), kLongestWait), now);
}

SlurmPoll::PollResult SlurmPoll::look(const std::string& folder, std::int64_t job,
                                      MonotonicNs now) {
  if (!command_) {
    auto command = host_.start(SlurmQueue::look_command(folder, job));
    if (!command) return Unanswered{command.error()};
    command_.emplace(std::move(*command));
    command_->close_input();
    since_ns_ = now;
    printed_.clear();
  }
  command_->wait(std::chrono::milliseconds{0});
  printed_ += command_->take_output();
  const bool hangs = from_ns(now - since_ns_) > longest_contact();
  if (!command_->ended()) {
    if (!hangs && printed_.size() <= Host::kMostOutput) return {};
    command_.reset();
    return Unanswered{{{fmt::format("squeue on {} {}", host_.name(),
                                    hangs ? "does not end" : "prints without end")},
                       true}};
  }
  const CommandOutput output{command_->status(), printed_, command_->error()};
  const auto unreachable = host_.failure_of(*command_);
  command_.reset();
  if (unreachable) return Unanswered{*unreachable};
  const auto found = queue_.read_look(output);
  if (!found) return Unanswered{found.error()};
  return Answer{*found};
}

SlurmLives SlurmPoll::lives() const {
  std::string_view printed = printed_;
  return take_lives(printed);
}

std::vector<SlurmStart> parse_slurm_history(std::string_view text) {
  std::vector<SlurmStart> history;
  for (const std::string_view line : split(text, '\n')) {
    if (line.starts_with('L')) {
      if (const auto life = parse_life_suffix(line.substr(1))) history.push_back({*life, {}});
      continue;
    }
    const auto jobs = parse_squeue(line);
    if (!history.empty() && jobs && jobs->size() == 1 &&
        jobs->front().id == history.back().life.job)
      history.back().job = jobs->front();
  }
  std::sort(history.begin(), history.end(),
            [](const SlurmStart& a, const SlurmStart& b) { return a.life < b.life; });
  return history;
}

std::vector<SlurmStart> slurm_history(const Host& host, const std::string& folder) {
  const auto output = host.run({"sh", "-c", kList, "sh", folder});
  return output ? parse_slurm_history(output->output) : std::vector<SlurmStart>{};
}

void add_history(const std::vector<SlurmStart>& history, Run& run) {
  if (const auto waited = time_in_queue(history))
    run.preparation.insert(run.preparation.begin(), PreparationStep{"queue", *waited, 0});
  if (history.size() < 2) return;
  run.warnings.push_back(fmt::format(
      "its Slurm job was started {} times (preempted, requeued, or its node failed): only "
      "the last one counts",
      history.size()));
}

}  // namespace lapcast
