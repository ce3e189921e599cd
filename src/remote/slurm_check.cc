#include "remote/slurm_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

#include "core/units.h"
#include "machine/proc_text.h"
#include "remote/agent_session.h"
#include "remote/slurm_queue.h"
#include "remote/slurm_submission.h"
#include "remote/slurm_text.h"

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

/// Holds what srun is asked for besides the place, or why it is not asked.
struct NodeChoice {
  std::vector<std::string> flags;
  std::string why_not;
};

NodeChoice choose_node(const Host& host, const SlurmPlace& place) {
  const CommandOptions options{.timeout = kTimeToAnswer};
  const auto config = host.run(slurm_command({"scontrol", "show", "config"}), options);
  if (!config || config->status != 0 || !powers_nodes_up(config->output)) return {};
  std::vector<std::string> sinfo{"sinfo", "--noheader", "--Node", "--format=%N %t %f"};
  if (!place.partition.empty()) sinfo.push_back("--partition=" + place.partition);
  const auto nodes = host.run(slurm_command(sinfo), options);
  if (!nodes || nodes->status != 0) return {{}, "sinfo does not say which of its nodes are up"};
  const auto node = node_that_is_up(nodes->output, place.constraint);
  if (!node)
    return {{}, "none is up and free, and a check powers none up, which would be paid for"};
  return {{"--nodelist=" + *node}, ""};
}

NodeAnswer ask_by_job(const Host& host, const PlaceSetup& setup, Seconds patience,
                      const Interrupt& interrupt) {
  auto place = std::get<SlurmPlace>(setup.place);
  NodeChoice choice = choose_node(host, place);
  if (!choice.why_not.empty()) return without_facts(std::move(choice.why_not), true);
  std::ranges::move(choice.flags, std::back_inserter(place.flags));
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

/// Returns whether a node has all features that a constraint joins by '&'.
bool has_features(const auto& features, std::string_view constraint) {
  return std::ranges::all_of(split(constraint, '&'), [&](std::string_view feature) {
    return feature.empty() || std::ranges::find(features, feature) != features.end();
  });
}

}  // namespace

bool powers_nodes_up(std::string_view config) {
  for (const std::string_view line : split(config, '\n')) {
    const std::size_t equals = line.find('=');
    if (equals != std::string_view::npos && trimmed(line.substr(0, equals)) == "ResumeProgram")
      return !slurm_value(line.substr(equals + 1)).empty();
  }
  return false;
}

std::optional<std::string> node_that_is_up(std::string_view sinfo, std::string_view constraint) {
  for (const std::string_view line : split(sinfo, '\n')) {
    const auto words = split(trimmed(line), ' ');
    if (words.size() != 3 || (words[1] != "idle" && words[1] != "mix")) continue;
    if (has_features(split(words[2], ','), constraint) &&
        words[0].find_first_of("[]") == std::string_view::npos)
      return std::string(words[0]);
  }
  return std::nullopt;
}

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

std::string why_none_is_usable(const std::vector<NodeType>& types, const SlurmPlace& place) {
  std::vector<std::string> states;
  for (const NodeType& type : types) {
    // Whatever else a constraint may say, a node that can be used may be meant.
    const bool is_plain = place.constraint.find_first_of("|*[]()!,") == std::string::npos;
    if (is_plain && !has_features(type.features, place.constraint)) continue;
    if (can_have(place, type)) return "";
    for (const std::string& state : type.states)
      if (std::ranges::find(states, state) == states.end()) states.push_back(state);
  }
  return fmt::format("{}", fmt::join(states, " or "));
}

NodeAnswer ask_node(const Host& host, const PlaceSetup& setup, Seconds patience,
                    const Interrupt& interrupt) {
  NodeAnswer answer = ask_by_job(host, setup, patience, interrupt);
  if (answer.facts) return answer;
  const auto types = node_types(setup.place);
  const std::string why =
      types ? why_none_is_usable(*types, std::get<SlurmPlace>(setup.place)) : "";
  if (!why.empty()) return without_facts("a node that can be used: they are " + why, false);
  return answer;
}

}  // namespace lapcast
