// Measures how well laps on numbers of workers that were not measured are forecast, on public sets
// of the same programs on several numbers of GPUs: the folder is an argument. The noises are chosen
// on all other networks of a set; all else is the prior that the product has. Errors are medians
// and 90th percentiles; docs/benchmarks.md has the goals. The last line counts the goals that are
// met.
#include <cstdio>
#include <string>
#include <vector>

#include "scaling/layout_cases.h"
#include "scaling/run_cases.h"
#include "scaling/scaling_cases.h"

namespace {

using namespace lapcast;
using namespace lapcast::scaling;
using shortlist::Errors;
using shortlist::errors_of;
using shortlist::Goals;

bool in_one_node(const ScalingRow& row) {
  return row.workers.nodes == 1 && row.workers.all() > 2;
}
bool across_nodes(const ScalingRow& row) {
  return row.workers.nodes > 1;
}
auto workers_are(double n) {
  return [n](const ScalingRow& row) { return row.workers.all() == n; };
}
auto at_least(double n) {
  return [n](const ScalingRow& row) { return across_nodes(row) && row.workers.all() >= n; };
}

Errors show(const Goals& goals, const std::string& name, const std::vector<ScalingRow>& rows,
            const ScalingQuestion& question) {
  std::printf("  %s\n", name.c_str());
  const ScalingAnswers answers = answer_cross_fitted(rows, question);
  const Errors errors = errors_of(answers.ours);
  goals.show("lapcast", errors);
  goals.show("with the noises of the product", errors_of(answer(rows, question, {}).ours));
  const Errors ideal = errors_of(answers.ideal), ring = errors_of(answers.ring);
  std::printf("    ideal %.1f / %.1f %%, ring %.1f / %.1f %%\n", ideal.median, ideal.p90,
              ring.median, ring.p90);
  return errors;
}

std::vector<ScalingRow> of_kind(const std::vector<ScalingRow>& rows, const std::string& kind) {
  std::vector<ScalingRow> kept;
  for (const ScalingRow& row : rows)
    if (row.kind == kind) kept.push_back(row);
  return kept;
}

void sia_part(const std::string& folder, Goals& goals) {
  goals.heading("Sia, from one and two workers, and one on each of two nodes");
  const std::vector<ScalingRow> rows = read_sia_laps(folder);
  const std::vector<ScalingRow> placed = of_kind(rows, "placement");
  Errors e = show(goals, "one node from 1, 2", placed, {{{1, 1}, {1, 2}}, in_one_node});
  goals.error_goal(e, 4.3, 20);
  goals.coverage_goal(e, 90, 98);
  std::vector<ScalingRow> eights;
  for (const ScalingRow& row : placed)
    if (row.program.ends_with("/rtx") || row.program.ends_with("/dgx-ext")) eights.push_back(row);
  show(goals, "nodes of 8, from 1 alone", eights, {{{1, 1}}, in_one_node});
  show(goals, "nodes of 8, from 1, 2", eights, {{{1, 1}, {1, 2}}, in_one_node});
  show(goals, "nodes of 8, from 1 and the full node", eights, {{{1, 1}, {1, 8}}, in_one_node});
  show(goals, "one node from 1, 2, all batches", placed, {{{1, 1}, {1, 2}}, in_one_node, true});
  const std::vector<Workers> crossing{{1, 1}, {1, 2}, {2, 1}};
  e = show(goals, "several nodes from 1, 2, 11", rows, {crossing, across_nodes});
  goals.error_goal(e, 9, 30);
  show(goals, "several nodes from 1, 2, 11, all batches", rows, {crossing, across_nodes, true});
  show(goals, "24 GPUs and more, each batch alone", rows, {crossing, at_least(24)});
  e = show(goals, "24 GPUs and more, all batches", rows, {crossing, at_least(24), true});
  goals.error_goal(e, 16, 35);
  goals.coverage_goal(e, 88, 100);
  std::vector<ScalingRow> rtx;
  for (const ScalingRow& row : rows)
    if (row.program.ends_with("/rtx")) rtx.push_back(row);
  const auto more = [](const ScalingRow& row) { return row.workers.all() > 16; };
  e = show(goals, "rtx, more than 16 GPUs from one and two full nodes", rtx,
           {{{1, 8}, {2, 8}}, more});
  goals.error_goal(e, 4.5, 12);
}

void small_sets_part(const std::string& folder, Goals& goals) {
  const std::vector<Workers> two{{1, 1}, {1, 2}};
  goals.heading("Gavel");
  std::vector<ScalingRow> gavel = read_gavel_laps(folder);
  for (ScalingRow& row : gavel) row.workers = {1, row.workers.all()};
  for (const double n : {4., 8.}) {
    const Errors e =
        show(goals, n == 4 ? "4 from 1, 2" : "8 from 1, 2", gavel, {two, workers_are(n)});
    goals.error_goal(e, n == 4 ? 7 : 12, n == 4 ? 29 : 30);
    goals.coverage_goal(e, 88, 98);
  }
  goals.heading("Lambda");
  const std::vector<ScalingRow> lambda = read_lambda_laps(folder);
  for (const double n : {4., 8.}) {
    const Errors e =
        show(goals, n == 4 ? "4 from 1, 2" : "8 from 1, 2", lambda, {two, workers_are(n)});
    goals.error_goal(e, n == 4 ? 2.1 : 4.6, n == 4 ? 17 : 32);
  }
  goals.heading("TensorFlow 2017");
  const std::vector<ScalingRow> tensorflow = read_tensorflow_laps(folder);
  show(goals, "one node 4, 8 from 1, 2", of_kind(tensorflow, "node"), {two, in_one_node});
  Errors e = show(goals, "64 from 1, 8", of_kind(tensorflow, "distributed"),
                  {{{1, 1}, {1, 8}}, workers_are(64)});
  goals.error_goal(e, 6, 9);
  goals.heading("Foundry");
  e = show(goals, "more GPUs from the fewest", read_foundry_laps(folder),
           {{}, [](const ScalingRow&) { return true; }});
  goals.error_goal(e, 3.5, 8);
  e = show(goals, "DataParallel 4 from 1, 2", read_data_parallel_laps(folder),
           {two, workers_are(4)});
  goals.error_goal(e, 6, 30);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s DIR, the folder of public sets\n", argv[0]);
    return 2;
  }
  Goals goals;
  sia_part(argv[1], goals);
  small_sets_part(argv[1], goals);
  judge_layouts(argv[1], goals);
  judge_runs(argv[1], goals);
  goals.end("scaling-accuracy");
}
