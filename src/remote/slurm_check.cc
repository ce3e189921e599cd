#include "remote/slurm_check.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>
#include <vector>

#include "core/units.h"
#include "machine/proc_text.h"
#include "remote/agent_session.h"
#include "remote/slurm_submission.h"

namespace lapcast {
namespace {

constexpr Seconds kTimeToAnswer{40};  // for the job, once it runs
constexpr int kTimedOut = 124;        // exit status of timeout(1)

// Takes the tool's name as $1 and then srun's command line, which the tool and its arguments
// follow.
constexpr const char* kOnNode =
    "t=bin/$1; [ -x \"$t\" ] || t=bin/lapcast; shift; exec \"$@\" \"$t\" agent checks .";

bool contains(const std::string& text, const char* words) {
  return text.find(words) != std::string::npos;
}

bool says_busy(const std::string& text) {
  for (const char* words : {"nodes are busy", "nodes required for job", "insufficient priority",
                            "has been revoked", "cannot be allocated now"})
    if (contains(text, words)) return true;
  return false;
}

NodeAnswer without_facts(std::string why, bool is_busy) {
  return {std::nullopt, std::move(why), is_busy};
}

std::vector<std::string> command_line(const SlurmPlace& place, Seconds patience) {
  const auto limit = static_cast<int>(std::ceil((patience + kTimeToAnswer).count()));
  std::vector<std::string> command{tool_name(), "timeout", std::to_string(limit)};
  for (std::string& word : srun_command(place, patience)) command.push_back(std::move(word));
  return command;
}

}  // namespace

NodeAnswer explain_srun(int status, const std::string& standard_error, Seconds patience) {
  if (status == kTimedOut || says_busy(standard_error))
    return without_facts(fmt::format("none was free within {}", format_duration(patience)), true);
  if (contains(standard_error, "execve"))
    return without_facts(
        "a folder that its nodes share with the login node; name one with folder = "
        "\"...\": " +
            printable(trimmed(standard_error), 300),
        false);
  return without_facts("a node that answers: " + printable(trimmed(standard_error), 300), false);
}

NodeAnswer ask_node(const Host& host, const PlaceSetup& setup, Seconds patience,
                    const Interrupt& interrupt) {
  const auto& place = std::get<SlurmPlace>(setup.place);
  const auto answer = host.run(in_agent_folder(setup, kOnNode, command_line(place, patience)),
                               {.input = to_line(question::Facts{}),
                                .timeout = patience + kTimeToAnswer + Seconds{10},
                                .interrupt = &interrupt});
  if (!answer) return without_facts(answer.error().reason.text, true);
  if (answer->status != 0) return explain_srun(answer->status, answer->error, patience);
  auto facts = parse_facts(answer->output);
  if (!facts) return without_facts("a node that answers: " + facts.error().text, false);
  return {std::move(*facts), "", false};
}

}  // namespace lapcast
