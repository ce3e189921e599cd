#include "remote/slurm_submission.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "machine/proc_text.h"
#include "remote/slurm_text.h"
#include "remote/ssh.h"

namespace lapcast {
namespace {

constexpr std::size_t kLongestJobName = 60;

/// Returns FNV-1a of 32 bits.
std::uint32_t hash_of(std::string_view text) {
  std::uint32_t hash = 2166136261u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash;
}

bool stays(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '.';
}

void ask(std::vector<std::string>& arguments, const std::string& option, const std::string& value) {
  if (!value.empty()) arguments.push_back(option + "=" + value);
}

void ask_for_nodes(std::vector<std::string>& arguments, const SlurmPlace& place) {
  ask(arguments, "--partition", place.partition);
  ask(arguments, "--constraint", place.constraint);
  ask(arguments, "--gres", place.gres);
  if (place.gpus > 0) ask(arguments, "--gpus-per-node", fmt::format("{}", place.gpus));
  ask(arguments, "--account", place.account);
}

}  // namespace

std::vector<std::string> size_options(const Place& cluster) {
  const auto& place = std::get<SlurmPlace>(cluster);
  if (place.nodes == 0 && place.gpus == 0) return {"--nodes=1", "--ntasks=1"};
  return {fmt::format("--nodes={}", std::max(1, place.nodes))};
}

std::vector<std::string> queue_options(const Place& cluster) {
  const auto& place = std::get<SlurmPlace>(cluster);
  std::vector<std::string> options;
  ask_for_nodes(options, place);
  if (place.time_limit_ns == kNoTimeLimit)
    ask(options, "--time", "UNLIMITED");
  else if (place.time_limit_ns > 0)
    ask(options, "--time", slurm_duration_text(place.time_limit_ns));
  options.insert(options.end(), place.flags.begin(), place.flags.end());
  return options;
}

std::string slurm_job_name(const RunContext& context, const std::string& group) {
  const std::string& whole = group.empty() ? context.machine_type.name : group;
  std::string name = whole.substr(0, kLongestJobName);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !stays(c); }, '_');
  if (name != whole) name += fmt::format("-{:08x}", hash_of(whole));
  if (group.empty() && context.kind == RunKind::full) name += "-" + context.id;
  return (group.empty() ? "lapcast-" : "lapcast-group-") + name;
}

std::vector<std::string> slurm_command(const std::vector<std::string>& arguments) {
  std::vector<std::string> command{"env"};
  for (const char* name :
       {"SQUEUE_ACCOUNT",  "SQUEUE_ALL",        "SQUEUE_ARRAY",     "SQUEUE_FORMAT",
        "SQUEUE_FORMAT2",  "SQUEUE_LICENSES",   "SQUEUE_NAMES",     "SQUEUE_PARTITION",
        "SQUEUE_PRIORITY", "SQUEUE_QOS",        "SQUEUE_SORT",      "SQUEUE_STATES",
        "SQUEUE_USERS",    "SINFO_ALL",         "SINFO_FORMAT",     "SINFO_FUTURE",
        "SINFO_PARTITION", "SINFO_SORT",        "SACCT_FORMAT",     "SCANCEL_INTERACTIVE",
        "SCANCEL_NAME",    "SCANCEL_PARTITION", "SCANCEL_STATE",    "SCANCEL_USER",
        "SCANCEL_VERBOSE", "SBATCH_WAIT",       "SBATCH_ARRAY_INX", "SLURM_TIME_FORMAT"}) {
    command.insert(command.end(), {"-u", name});
  }
  command.insert(command.end(), {"TZ=UTC0", "LC_ALL=C"});
  command.insert(command.end(), arguments.begin(), arguments.end());
  return command;
}

std::vector<std::string> sbatch_command(const SlurmPlace& place, const RunContext& context,
                                        const std::string& job_name, const std::string& folder) {
  std::vector<std::string> command = {
      "env", "-u", "SBATCH_WAIT", "-u", "SBATCH_ARRAY_INX", "LC_ALL=C", "sbatch", "--parsable",
      "--job-name=" + job_name, "--dependency=singleton",
      // Each life of the job appends to what the lives before it wrote.
      "--requeue", "--open-mode=append", "--chdir=" + folder, "--output=slurm.out",
      "--comment=lapcast run " + context.id};
  for (const auto& options : {size_options(place), queue_options(place)})
    command.insert(command.end(), options.begin(), options.end());
  return command;
}

std::vector<std::string> srun_command(const SlurmPlace& place, Seconds patience) {
  // These make a separate job even if lapcast itself runs in one.
  std::vector<std::string> command = {
      "env",
      "-u",
      "SLURM_JOB_ID",
      "-u",
      "SLURM_JOBID",
      "LC_ALL=C",
      "srun",
      "--quiet",
      fmt::format("--immediate={}", std::max<std::int64_t>(1, std::llround(patience.count()))),
      "--job-name=lapcast-check",
      "--nodes=1",
      "--ntasks=1",
      "--time=2"};
  ask_for_nodes(command, place);
  command.insert(command.end(), place.flags.begin(), place.flags.end());
  return command;
}

std::string slurm_script(const std::string& tool, const std::string& folder) {
  std::vector<std::string> squeue{"timeout", "30", "squeue"};
  for (const std::string& option : squeue_options()) squeue.push_back(option);
  return fmt::format(
      "#!/bin/sh\n"
      "umask 077\n"
      // A controller that lost its state may start a job again that has ended.
      "for d in {}.*.*; do\n"
      "  if [ -e \"$d/ended\" ]; then echo \"this run has ended: $d\"; exit 0; fi\n"
      "done\n"
      "life={}.$SLURM_JOB_ID.${{SLURM_RESTART_COUNT:-0}}\n"
      "mkdir -p \"$life\" && cp {} \"$life/request.json\" || exit 73\n"
      // Beside the program's start; its parent is gone before lapcast looks after orphans.
      "(({} --jobs=$SLURM_JOB_ID </dev/null >\"$life/queue.new\" 2>&1 &&\n"
      "  mv \"$life/queue.new\" \"$life/queue\") &)\n"
      "exec {} agent record \"$life\"\n",
      shell_quote(folder), shell_quote(folder), shell_quote(folder + "/request.json"),
      shell_command(slurm_command(squeue)), shell_quote(tool));
}

std::string life_suffix(const SlurmLife& life) {
  return fmt::format(".{}.{}", life.job, life.restarts);
}

std::optional<SlurmLife> parse_life_suffix(std::string_view text) {
  const auto parts = split(text, '.');
  if (parts.size() != 3 || !parts[0].empty()) return std::nullopt;
  const auto job = parse_integer(parts[1]);
  const auto restarts = parse_integer(parts[2]);
  if (!job || !restarts || *job <= 0 || *restarts < 0) return std::nullopt;
  const SlurmLife life{*job, *restarts};
  return life_suffix(life) == text ? std::optional(life) : std::nullopt;
}

SlurmLives take_lives(std::string_view& text) {
  SlurmLives lives;
  while (text.starts_with('L') || text.starts_with('E')) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) break;
    if (const auto life = parse_life_suffix(text.substr(1, end - 1))) {
      if (text[0] == 'L') lives.recording = std::max(lives.recording, life);
      if (text[0] == 'E' && (!lives.ended || *life < *lives.ended)) lives.ended = life;
    }
    text.remove_prefix(end + 1);
  }
  return lives;
}

}  // namespace lapcast
