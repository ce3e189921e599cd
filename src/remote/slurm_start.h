#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "run/run.h"

namespace lapcast {

/// Describes the Slurm job that this process is in, from the first of its nodes.
struct OwnSlurmJob {
  std::string id;
  std::size_t nodes = 1;
  std::string head;  // the name of the first node
};
/// Reads it from the variables that Slurm sets for a job script; one node without them.
OwnSlurmJob own_slurm_job();

/// Makes a program that has {nodes}, {node} or {head} without a value start once on each node of
/// the job, by `tool`, which is lapcast; on a single node only gives them values. Any other program
/// stays as it is: it starts once, on the first node.
void start_on_nodes(RunContext& context, const OwnSlurmJob& job, const std::string& tool);

/// Returns the arguments of the program on one node of the job.
std::vector<std::string> program_on_node(const std::vector<std::string>& program,
                                         const OwnSlurmJob& job, int node);

/// Returns the command that runs a program on all nodes of the job but the first. {node} is filled
/// in there (run_on_other_node()).
std::vector<std::string> command_on_others(const std::vector<std::string>& program,
                                           const OwnSlurmJob& job, const std::string& tool);

/// Runs a program on all nodes of this process's job, as the first of them, and returns its exit
/// status. When it fails on one node, all are ended, and a line on stderr names the node; where it
/// ends on the first one, the others have a minute to do the same. TERM is passed on.
int run_on_nodes(const std::vector<std::string>& program);

/// Runs a program as one of the other nodes, in the step that run_on_nodes() began, and returns its
/// exit status. Its output is printed when it fails.
int run_on_other_node(const std::vector<std::string>& program);

/// Names the node that failed first in the outcome of a run that run_on_nodes() made, by the line
/// that it left on stderr. Any other run stays as it is.
void name_failed_node(Run& run);

}  // namespace lapcast
