// Measures how far forecasts are off on thousands of real runs: the folder of public logs is an
// argument, or one set's folder in it (algoperf, mlperf-new, megatron, mlperf). Prints for each
// group of runs the errors of the papers' formula and ours, what was dropped and why, and the goals
// of the sets. The last line says how many of them are met; where no group is large enough for a
// goal, it is our median error for core runs of 5 min and more after two epochs.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <limits>

#include "accuracy/cross_fit.h"
#include "accuracy/dawnbench_entries.h"
#include "accuracy/epochs_to_target.h"
#include "accuracy/error_table.h"
#include "accuracy/first_iterations.h"
#include "accuracy/first_units.h"
#include "accuracy/goals.h"
#include "accuracy/groups.h"
#include "accuracy/interval_score.h"
#include "accuracy/interval_sets.h"
#include "accuracy/run_folder.h"
#include "accuracy/run_parts.h"
#include "accuracy/set_goals.h"
#include "core/error.h"
#include "found_data.h"

namespace {

using namespace lapcast::accuracy;
using lapcast::Result;

/// Holds all results to print.
struct Measured {
  std::string set;
  std::vector<std::string> notes;
  std::vector<std::string> parts;
  std::vector<Judgement> judgements;
  std::vector<std::string> epochs;  // about epochs to target
  std::vector<std::string> parts_of_runs;
  Dropped dropped;
  Dropped missed;  // runs without a forecast
};

/// Makes the probes of one kind of all runs, and counts why runs have none.
template <class Runs, class MakeProbe>
std::vector<Probe> probes_of(const Runs& runs, const char* seen, MakeProbe make, Dropped& dropped) {
  std::vector<Probe> probes;
  for (const auto& run : runs) {
    Result<Probe> probe = make(run);
    if (probe) {
      probes.push_back(*std::move(probe));
    } else {
      dropped.add(fmt::format("after {}: {}", seen, probe.error().text));
    }
  }
  return probes;
}

template <class Runs, class MakeProbe>
void judge_all(const Runs& runs, const char* seen, MakeProbe make, Measured& measured) {
  const auto judged = judge(probes_of(runs, seen, make, measured.dropped), measured.missed);
  measured.judgements.insert(measured.judgements.end(), judged.begin(), judged.end());
}

/// Judges each probe with the outcomes of the others' runs.
template <class Runs>
void say_submitters(const char* of, const Runs& submitters, Measured& measured) {
  std::map<std::string, int> runs;
  for (const std::string& submitter : submitters) ++runs[submitter];
  for (const auto& [submitter, count] : runs)
    measured.parts.push_back(fmt::format("{}\t{} runs\t{}", of, count, submitter));
}

/// Counts the runs whose parts sum to their time, and says which do not.
void check_parts(const LoggedRuns& runs, Measured& measured) {
  std::size_t right = 0, without = 0;
  for (const LoggedRun& run : runs.runs) {
    const lapcast::Run whole = whole_run(run);
    const RunParts parts = parts_of(whole);
    const auto wrong = what_is_wrong(parts, run);
    if (parts.laps == 0)
      ++without;
    else if (wrong)
      measured.parts_of_runs.push_back(fmt::format("{}\t{}", run.id, *wrong));
    else
      ++right;
  }
  measured.parts_of_runs.push_back(
      fmt::format("{} runs\teach second has one part; {} runs have no lap", right, without));
}

LoggedRuns measure_mlperf(const std::filesystem::path& folder, Measured& measured) {
  LoggedRuns runs = read_run_folder(folder, measured.dropped, measured.notes);
  std::vector<std::string> submitters;
  for (const LoggedRun& run : runs.runs) submitters.push_back(run.submitter);
  say_submitters("mlperf", submitters, measured);
  const auto after = [](std::size_t seen) {
    return [seen](const LoggedRun& run) { return probe_of(run, seen); };
  };
  check_parts(runs, measured);
  judge_all(runs.runs, "2 epochs", after(2), measured);
  judge_all(runs.runs, "5 epochs", after(5), measured);
  judge_all(runs.runs, "100 iterations", probe_of_iterations, measured);
  return runs;
}

void measure_epochs(const std::filesystem::path& folder, LoggedRuns& runs, Measured& measured) {
  const auto evaluated = read_evaluations(folder, runs, measured.dropped, measured.notes);
  std::vector<std::string> submitters;
  for (const LoggedRun& run : runs.runs) submitters.push_back(run.submitter);
  measured.epochs = epochs_to_target(evaluated, split(submitters), measured.dropped);
}

void measure_dawnbench(const std::filesystem::path& folder, Measured& measured) {
  const auto entries = read_dawnbench(folder, measured.dropped, measured.notes);
  std::vector<std::string> submitters;
  for (const DawnbenchEntryRun& entry : entries) submitters.push_back(entry.run.submitter);
  say_submitters("dawnbench", submitters, measured);
  if (!entries.empty()) {
    measured.notes.push_back(
        "dawnbench: an oracle says the phases: they are where the time per epoch of the whole "
        "entry "
        "changes by more than a fifth and stays");
  }
  judge_all(entries, "2 rows", probe_of_entry, measured);
  judge_all(entries, "2 rows of each phase", probe_of_phases, measured);
}

void measure_algoperf(const std::filesystem::path& folder, Measured& measured) {
  const auto runs = read_algoperf(folder, measured.dropped, measured.notes);
  std::vector<std::string> submitters;
  for (const TimedRun& timed : runs) submitters.push_back(timed.run.submitter);
  say_submitters("algoperf", submitters, measured);
  for (const double share : {0.02, 0.05, 0.1})
    judge_all(
        runs, fmt::format("{} %", 100 * share).c_str(),
        [share](const TimedRun& timed) { return probe_of_share(timed, share); }, measured);
}

void measure_megatron(const std::filesystem::path& folder, Measured& measured) {
  judge_all(read_megatron(folder, measured.dropped, measured.notes), "10 iterations", probe_of_ten,
            measured);
}

Measured measure(const SetFolder& set) {
  Measured measured;
  measured.set = set.name;
  if (set.name == "algoperf") {
    measure_algoperf(set.runs, measured);
  } else if (set.name == "megatron") {
    measure_megatron(set.runs, measured);
  } else {
    LoggedRuns runs = measure_mlperf(set.runs, measured);
    if (set.beside.empty()) return measured;
    measure_epochs(set.beside / "curves", runs, measured);
    measure_dawnbench(set.beside / "dawnbench", measured);
  }
  return measured;
}

void write_details(const std::string& file, const std::vector<Measured>& sets) {
  std::ofstream out(file);
  out << "run\tsubmitter\tbenchmark\tgroup\tseen\tfit\treal_s\tlow_s\tmid_s\thigh_s\tpapers_s"
         "\tstopped_s\n";
  const auto seconds = [](const Judgement& judged, auto bound) {
    return judged.ours ? fmt::format("{:.3f}", ((*judged.ours).*bound).count()) : "";
  };
  using Times = lapcast::Interval<lapcast::Seconds>;
  std::vector<Judgement> judgements;
  for (const Measured& set : sets)
    judgements.insert(judgements.end(), set.judgements.begin(), set.judgements.end());
  for (const Judgement& judged : judgements) {
    out << fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{:.3f}\t{}\t{}\t{}\t{:.3f}\t{:.3f}\n", judged.run,
                       judged.submitter, judged.benchmark,
                       judged.groups.empty() ? "" : judged.groups.front().name, judged.seen,
                       to_string(judged.fit), judged.real.count(), seconds(judged, &Times::low),
                       seconds(judged, &Times::mid), seconds(judged, &Times::high),
                       judged.papers.count(), judged.stopped.count());
  }
  out.flush();
  if (!out) throw lapcast::Error(lapcast::ExitCode::system_failed, "cannot write " + file);
}

/// Says both halves of the claim about core runs of 5 min and more; returns the median error with
/// the runs of others.
double say_headline(const std::vector<ErrorRow>& rows) {
  double median = std::numeric_limits<double>::quiet_NaN();
  for (const ErrorRow& row : rows) {
    if (row.group.name != kCoreLong || row.seen != "2 epochs" || row.fit == Fit::own) continue;
    fmt::print("headline\t{}\t{}\t{}: {} % of the total, {} % of the rest after {:.0f} %\n",
               row.group.name, row.seen, row.fit == Fit::others ? "with others' runs" : "alone",
               to_text(row.ours), to_text(row.ours_rest), row.seen_share);
    if (row.fit == Fit::others) median = row.ours.median;
  }
  return median;
}

/// Prints what was measured of a set, adds its goals, and returns say_headline().
double print(const Measured& measured, std::vector<Verdict>& goals) {
  fmt::print("set\t{}\n", measured.set);
  for (const std::string& note : measured.notes) fmt::print("note\t{}\n", note);
  for (const std::string& part : measured.parts) fmt::print("submitter\t{}\n", part);
  for (const std::string& line : measured.parts_of_runs) fmt::print("parts\t{}\n", line);
  const std::vector<ErrorRow> rows = error_rows(measured.judgements);
  for (const ErrorRow& row : rows) fmt::print("{}", to_text(row));
  for (const std::string& row : measured.epochs) fmt::print("{}", row);
  for (const Verdict& verdict : verdicts(rows))
    fmt::print("{}\t{}\n", verdict.met ? "met" : "missed", verdict.text);
  for (const auto& [rule, count] : measured.missed.counts())
    fmt::print("no forecast\t{}\t{}\n", count, rule);
  for (const auto& [rule, count] : measured.dropped.counts())
    fmt::print("dropped\t{}\t{}\n", count, rule);
  const IntervalScores scores = interval_scores(measured.judgements, scored_part(measured.set));
  if (scores.runs > 0)
    fmt::print("interval score\t{}\t{}\t{} runs\tours {:.4f}\toracle {:.4f}\tratio {:.3f}\n",
               measured.set, scored_part(measured.set), scores.runs, scores.ours, scores.oracle,
               scores.ratio());
  const auto of_set = set_verdicts(measured.set, rows, scores);
  goals.insert(goals.end(), of_set.begin(), of_set.end());
  return say_headline(rows);
}

/// Prints all sets and the last line.
void print(const std::vector<Measured>& sets, const std::string& folder) {
  std::vector<Verdict> goals;
  double median = std::numeric_limits<double>::quiet_NaN();
  for (const Measured& set : sets) median = print(set, goals);
  for (const Verdict& goal : goals)
    fmt::print("goal {}\t{}\n", goal.met ? "met" : "missed", goal.text);
  if (!goals.empty()) {
    fmt::print("forecast-accuracy: {} of {} goals met\n",
               std::ranges::count(goals, true, &Verdict::met), goals.size());
    return;
  }
  if (!std::isfinite(median))
    lapcast::no_data_in(folder,
                        "runs of 5 min and more with epochs of core benchmarks: it should have "
                        "mlperf/, dawnbench/ and curves/, or be a set's folder");
  fmt::print("forecast-accuracy: {:.3g} %\n", median);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("How far forecasts are off on public logs of real runs");
  std::filesystem::path folder;
  std::string details;
  app.add_option("DIR", folder,
                 "Folder with algoperf/, mlperf-new/, megatron/, mlperf/ (with "
                 "dawnbench/ and curves/), or one of them")
      ->required()
      ->check(CLI::ExistingDirectory);
  app.add_option("--details", details, "File for a line per run and forecast");
  try {
    app.parse(argc, argv);
    std::vector<Measured> sets;
    for (const SetFolder& set : sets_in(folder)) sets.push_back(measure(set));
    if (!details.empty()) write_details(details, sets);
    print(sets, folder.string());
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : static_cast<int>(lapcast::ExitCode::usage);
  } catch (const lapcast::Error& error) {
    fmt::print(stderr, "bench-forecast-accuracy: {}\n", error.what());
    return static_cast<int>(error.code());
  }
  return 0;
}
