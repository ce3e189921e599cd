#include "commands/rank/task_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/units.h"
#include "query/queue_limit.h"
#include "remote/nodes_run.h"
#include "remote/slurm_submission.h"
#include "remote/ssh.h"
#include "run/secrets.h"
#include "run/text_bytes.h"

namespace lapcast {
namespace {

constexpr std::string_view kRunDir = "{run_dir}";

bool names_run_dir(const std::string& text) {
  return text.find(kRunDir) != std::string::npos;
}

/// Is a placeholder with the variable of a job that has its value.
struct ShellValue {
  std::string_view placeholder;
  std::string_view variable;
};
constexpr ShellValue kShellValues[] = {{kRunDir, "LAPCAST_RUN_DIR"},
                                       {"{nodes}", "SLURM_JOB_NUM_NODES"},
                                       {"{node}", "SLURM_NODEID"},
                                       {"{head}", "LAPCAST_HEAD"}};

/// Returns a word for a shell command, with variables for the placeholders.
std::string shell_word(std::string_view text, std::span<const ShellValue> values) {
  const auto first = std::ranges::min_element(
      values, {}, [&](const ShellValue& value) { return text.find(value.placeholder); });
  const std::size_t at = text.find(first->placeholder);
  if (at == std::string_view::npos) return shell_quote(text);
  std::string word = at == 0 ? "" : shell_quote(text.substr(0, at));
  word += fmt::format("\"${}\"", first->variable);
  const std::string_view rest = text.substr(at + first->placeholder.size());
  return rest.empty() ? word : word + shell_word(rest, values);
}

/// Returns the program as it is called in its own folder, which is sent.
std::vector<std::string> program_in_folder(const RunContext& context) {
  std::vector<std::string> program = filled_program(context);
  const std::string folder = context.working_dir + "/";
  if (program[0].starts_with(folder)) program[0] = "./" + program[0].substr(folder.size());
  return program;
}

/// Returns a command that runs the program once on each node of its job, where the program has the
/// words of a node; else the program alone.
std::string command_on_nodes(const RunContext& context, bool on_several_nodes) {
  const std::vector<std::string> program = program_in_folder(context);
  const bool on_each = on_several_nodes && program != program_in_folder(on_only_node(context));
  const auto values = std::span(kShellValues).first(on_each ? std::size(kShellValues) : 1);
  std::string command;
  for (const std::string& argument : program)
    command += (command.empty() ? "" : " ") + shell_word(argument, values);
  if (!on_each) return command;
  return "export LAPCAST_HEAD=\"$SLURMD_NODENAME\"\n"
         "srun --ntasks-per-node=1 --cpu-bind=none --mpi=none --kill-on-bad-exit=1 sh -c " +
         shell_quote("exec " + command);
}

/// Returns the shell commands of the training. `folder` is a word of the shell that becomes
/// LAPCAST_RUN_DIR.
std::string run_command(const RunContext& context, const char* folder, bool on_several_nodes) {
  const std::vector<std::string> program = program_in_folder(context);
  bool needs_folder = std::any_of(program.begin(), program.end(), names_run_dir);
  std::string exports;
  for (const auto& [name, value] : context.machine_type.environment) {
    if (!names_run_dir(value)) continue;
    needs_folder = true;
    exports += fmt::format("export {}={}\n", name, shell_word(value, {kShellValues, 1}));
  }
  std::string command;
  if (needs_folder)
    command = fmt::format("export LAPCAST_RUN_DIR={}\nmkdir -p \"$LAPCAST_RUN_DIR\"\n", folder);
  return command + exports + command_on_nodes(context, on_several_nodes) + "\n";
}

/// Returns the context of the winner as its task has it. A single probe was given its arguments as
/// they were typed.
RunContext exported_context(const Winner& winner, bool on_several_nodes) {
  RunContext context = masked(winner.run.context);
  if (context.sweep.empty() || on_several_nodes) return context;
  return on_only_node(std::move(context));
}

std::map<std::string, std::string> environment_of(const MachineType& type) {
  std::map<std::string, std::string> environment;
  for (const auto& [name, value] : type.environment)
    if (!names_run_dir(value)) environment.emplace(name, value);
  return environment;
}

std::string candidate_name(const Candidate& candidate) {
  return candidate.settings.empty() ? candidate.machine_type
                                    : candidate.machine_type + " " + candidate.settings;
}

std::string forecast_comment(const Winner& winner) {
  const Quote& quote = winner.choice.quote;
  const std::string epochs = winner.choice.candidate->epochs > 0
                                 ? fmt::format(" of {:.0f} epochs", winner.choice.candidate->epochs)
                                 : "";
  return fmt::format(
      "Forecast for the whole training{}: {} ({} to {}), {} ({} to {}), 95 % intervals, boot "
      "time of {} in it. The command is the one that was probed: its own number of epochs counts.",
      epochs, format_duration(quote.time.mid), format_duration(quote.time.low),
      format_duration(quote.time.high), dollar_text(quote.total.mid), dollar_text(quote.total.low),
      dollar_text(quote.total.high), format_duration(from_ns(winner.choice.offer->boot_ns)));
}

/// Returns a comment for each part of the measured setup that a rented machine lacks.
std::vector<std::string> not_carried_over(const Winner& winner, const PlaceSetup* place_setup) {
  const RunContext& context = winner.run.context;
  std::vector<std::string> comments;
  const std::vector<std::string> program = program_in_folder(context);
  if (program[0].starts_with('/'))
    comments.push_back(fmt::format(
        "Not sent: {} is outside of the working folder, and has to be there.", program[0]));
  if (!context.machine_type.cpus.empty() || context.machine_type.cpu_quota)
    comments.push_back("Not carried over: the CPU set and quota that the probe was held to.");
  if (lacks_secrets(masked(context)))
    comments.push_back(
        "Left out: values that look like secrets, written as ***; give them to sky launch with "
        "--secret or --env.");
  if (place_setup == nullptr) {
    comments.push_back(
        "Not known: set-up command and data sets; the fleet file is not there (any more).");
    return comments;
  }
  for (const DataSet& data : place_setup->data)
    comments.push_back(fmt::format("Not sent: the data set {} ({}); file_mounts can bring it.",
                                   data.path,
                                   data.bytes > 0 ? format_bytes(data.bytes) : "size not said"));
  return comments;
}

/// Returns what is known of the choice, for a file in which it goes on.
std::vector<std::string> about_choice(const Winner& winner) {
  return {fmt::format("Chosen by lapcast: {}, under the offer {}: ${}/h as of {} ({}).",
                      candidate_name(*winner.choice.candidate), winner.choice.offer->name,
                      exact_decimal(winner.choice.offer->price.per_hour),
                      winner.choice.offer->as_of, winner.choice.offer->source),
          forecast_comment(winner),
          fmt::format(
              "It is the cheapest with probability {}, the fastest with {}; expected regret {}.",
              format_chance(winner.choice.p_cheapest), format_chance(winner.choice.p_fastest),
              format_share(winner.expected_regret)),
          fmt::format("From run {} ({}), measured {}.", winner.run.context.id,
                      winner.run.context.started_at,
                      winner.run.context.place.empty() ? "where lapcast ran"
                                                       : "on " + winner.run.context.place)};
}

std::vector<std::string> comments_of(const Winner& winner, const PlaceSetup* place_setup) {
  std::vector<std::string> comments = about_choice(winner);
  const auto rest = not_carried_over(winner, place_setup);
  comments.insert(comments.end(), rest.begin(), rest.end());
  comments.push_back(
      "Prices move: `sky launch --dryrun FILE` shows today's before anything is rented.");
  return comments;
}

void require_utf8(const std::string& text, const char* what) {
  if (!is_utf8(text))
    throw Error(ExitCode::some_failed,
                fmt::format("no SkyPilot task can be written: {} is not UTF-8 text", what));
}

std::string with_line_end(std::string command) {
  if (!command.empty() && command.back() != '\n') command += '\n';
  return command;
}

}  // namespace

SkyPilotTask skypilot_task(const Winner& winner, const PlaceSetup* place_setup) {
  const RunContext context = exported_context(winner, false);
  const auto resources = skypilot_resources(*winner.choice.offer);
  if (!resources)
    throw Error(
        ExitCode::some_failed,
        fmt::format("the winner is {}: {}", printable(candidate_name(*winner.choice.candidate)),
                    resources.error().text));
  SkyPilotTask task{comments_of(winner, place_setup),
                    "lapcast-" + context.id,
                    *resources,
                    context.working_dir,
                    environment_of(context.machine_type),
                    place_setup ? masked_text(with_line_end(place_setup->setup)) : "",
                    run_command(context, "\"$HOME\"/lapcast-run", false)};
  require_utf8(task.run, "an argument of the program");
  require_utf8(task.workdir, "the name of the working folder");
  require_utf8(task.setup, "the set-up command");
  require_utf8(winner.choice.offer->machine_type + winner.choice.offer->region +
                   winner.choice.offer->accelerator,
               "the machine type of the offer");
  for (const auto& [name, value] : task.environment) require_utf8(value, "an environment variable");
  return task;
}

SlurmJobFile slurm_job(const Winner& winner, const PlaceSetup* place_setup) {
  const bool on_several = place_setup != nullptr && nodes_of(place_setup->place) > 1;
  const RunContext context = exported_context(winner, on_several);
  const std::string name = printable(candidate_name(*winner.choice.candidate));
  if (place_setup == nullptr || !is_queued(place_setup->place))
    throw Error(ExitCode::some_failed,
                fmt::format("the winner is {}, which is {}; no job file can be written", name,
                            place_setup == nullptr ? "of a fleet file that cannot be read"
                                                   : "not a machine of a Slurm cluster"));
  Place place = place_setup->place;
  QueuedTraining training{.forecast = *winner.choice.candidate->time};
  if (const auto partition = partition_limit(place)) training.partition = *partition;
  const auto limit = queue_limit(training);
  if (!limit) throw Error(ExitCode::some_failed, name + ": " + limit.error().text);
  ask_for_time(place, limit->ns);
  SlurmJobFile job{.comments = about_choice(winner),
                   .options = {"--job-name=lapcast-" + context.id},
                   .script = ""};
  for (const auto& options : {size_options(place), queue_options(place)})
    job.options.insert(job.options.end(), options.begin(), options.end());
  job.comments.push_back("Asked for: " + limit->text + ".");
  if (!limit->warning.empty()) job.comments.push_back("Note: " + limit->warning + ".");
  if (lacks_secrets(context))
    job.comments.push_back(
        "Left out: values that look like secrets, written as ***; write them in before it runs.");
  job.comments.push_back(
      fmt::format("Run sbatch where the cluster has its commands, in the program's folder; it was "
                  "measured in {}.",
                  context.working_dir));
  for (const auto& [variable, value] : environment_of(context.machine_type))
    job.script += fmt::format("export {}={}\n", variable, shell_quote(value));
  job.script += masked_text(with_line_end(place_setup->setup)) +
                run_command(context, "\"$PWD\"/lapcast-run-\"$SLURM_JOB_ID\"", on_several);
  return job;
}

}  // namespace lapcast
