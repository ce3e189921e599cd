// nqueens counts the ways to place n queens on an n x n board so that no two attack each other. It
// has the search that [C] compares machines by, and a fast one.
//
// [C] Carneiro et al., "Performance Analysis of Google Colaboratory as a Tool for Accelerating Deep
//     Learning Applications", IEEE Access 6, 2018, section III.
#include <lapcast/lap.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <string_view>

#include "common/command_line.h"
#include "common/cpus.h"
#include "common/stage.h"
#include "nqueens/device.h"
#include "nqueens/fast.h"
#include "nqueens/isa.h"
#include "nqueens/paper.h"
#include "nqueens/work.h"

namespace {

using namespace lapcast::workloads;
using namespace lapcast::workloads::nqueens;
using Clock = std::chrono::steady_clock;

struct Options {
  int64_t n = 16;
  std::string algorithm = "fast";
  std::string isa = "auto";
  std::string device = "cpu";
  int64_t gpus = 1;
  int64_t threads = 0;
  int64_t laps = 0;
  std::string piece = "1/1";
  Piece part = {};  // as `piece` says
  bool describe = false;

  bool fast() const { return algorithm == "fast"; }
  bool cuda() const { return device == "cuda"; }
};

void add_options(CommandLine& line, Options& options) {
  line.number("n", options.n, 1, kLargestBoard, "Rows and columns of the board");
  line.choice("algorithm", options.algorithm, {"paper", "fast"},
              "paper: plain backtracking over half the board, to compare machines by. fast: one "
              "eighth of the board, many nodes at a time");
  line.choice("isa", options.isa, {"auto", "avx512", "avx2", "plain"},
              "Instructions of the fast search; auto: the best that this CPU has");
  line.number("threads", options.threads, 1, 4096, "CPU threads (default: the CPUs it may run on)");
  line.choice("device", options.device, {"cpu", "cuda"}, "Where to search");
  line.number("gpus", options.gpus, 1, 64, "GPUs of this machine, with --device cuda");
  line.count("laps", options.laps,
             "Equal shares of the search that are reported as laps (default: 100; on GPUs 20)");
  line.text("piece", options.piece, "I/P",
            "Count only the I-th of P equal pieces of the search; the counts of all add up");
  line.flag("describe", options.describe, "Print what this is as JSON and end");
}

/// Checks options that depend on each other. Returns the exit status as CommandLine::parse() does.
int complete_options(const CommandLine& line, Options& options) {
  if (options.isa != "auto" && (options.cuda() || !options.fast())) {
    return line.refuse("--isa " + options.isa + ": only the fast search on the CPU has a choice");
  }
  const auto part = parse_piece(options.piece);
  if (!part) {
    return line.refuse("--piece " + options.piece + ": must be I/P with 1 <= I <= P, such as 3/20");
  }
  options.part = *part;
  if (options.gpus > 1 && !options.cuda()) return line.refuse("--gpus needs --device cuda");
  if (options.threads == 0) options.threads = usable_cpus();
  if (options.laps == 0) options.laps = options.cuda() ? 20 : 100;
  return -1;
}

/// Prints the same members as the training programs do, since there is nothing to train.
void describe() {
  std::puts(R"({"name":"nqueens","parameters":0,"batch":1,"epochs":1,"optimizer":"","layers":[]})");
}

std::string number_of(int64_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

void print_start(const Options& options, const std::string& where) {
  const std::string part = options.part.is_whole() ? "" : "piece " + options.piece + ", ";
  std::printf("nqueens: %lld x %lld, %s, %s%s\n", static_cast<long long>(options.n),
              static_cast<long long>(options.n), options.algorithm.c_str(), part.c_str(),
              where.c_str());
  std::fflush(stdout);
}

void report_plan(const Laps& laps) {
  lapcast_plan_t plan = {};
  plan.steps = laps.count();
  plan.batch_size = 1;  // a sample is a part of the search
  lapcast_plan(plan);
}

Tally search_cpu(const Options& options) {
  const int n = static_cast<int>(options.n), threads = static_cast<int>(options.threads);
  const Isa isa = choose_isa(options.isa);
  print_start(options, number_of(threads, "thread") +
                           (options.fast() ? ", " + std::string(name_of(isa)) : ""));
  lapcast_stage_begin("pre-process");
  const Work work = piece_of(options.fast() ? fast_work(n, isa) : paper_work(n), options.part);
  lapcast_stage_end("pre-process");
  const Laps laps(work.items, options.laps);
  report_plan(laps);
  const Stage stage("train");
  return search_on_threads(work, threads, laps, [](int64_t) { lapcast_iteration(1); });
}

DeviceTally search_gpus(const Options& options) {
  const int n = static_cast<int>(options.n), gpus = static_cast<int>(options.gpus);
  print_start(options, number_of(gpus, "GPU") + ", " + find_devices(gpus).front());
  lapcast_stage_begin("pre-process");
  const DeviceWork work =
      piece_of(options.fast() ? fast_device_work(n) : paper_device_work(n), options.part);
  lapcast_stage_end("pre-process");
  const Laps laps(static_cast<int64_t>(work.roots.size()), options.laps);
  report_plan(laps);
  const Stage stage("train");
  return search_on_devices(work, gpus, laps,
                           {[](int64_t) { lapcast_iteration_queued(1); }, lapcast_iteration_ended});
}

/// kernel_seconds: the part of the time in which a GPU searched.
void report_end(const Tally& tally, double seconds, std::optional<double> kernel_seconds) {
  lapcast_metric("solutions", static_cast<double>(tally.solutions));
  lapcast_metric("nodes", static_cast<double>(tally.nodes));
  lapcast_metric("seconds", seconds);
  std::printf("%llu solutions\n%llu nodes, %.4g nodes/s\n%.4f s",
              static_cast<unsigned long long>(tally.solutions),
              static_cast<unsigned long long>(tally.nodes),
              static_cast<double>(tally.nodes) / seconds, seconds);
  if (kernel_seconds) {
    lapcast_metric("kernel_seconds", *kernel_seconds);
    std::printf(", of which %.4f s in kernels", *kernel_seconds);
  }
  std::puts("");
}

int fail(const std::exception& error, int status) {
  std::fprintf(stderr, "nqueens: %s\n", error.what());
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  CommandLine line("nqueens",
                   "Counts the ways to put N queens on an N x N board so that none attacks "
                   "another, and times the search.",
                   "  nqueens --n 16 --algorithm paper --threads 1\n"
                   "  nqueens --n 18\n"
                   "  nqueens --n 20 --device cuda\n"
                   "  nqueens --n 18 --piece 3/20\n");
  Options options;
  add_options(line, options);
  if (const int status = line.parse(argc, argv); status >= 0) return status;
  if (const int status = complete_options(line, options); status >= 0) return status;
  if (options.describe) {
    describe();
    return 0;
  }
  try {
    const auto begin = Clock::now();
    const DeviceTally found =
        options.cuda() ? search_gpus(options) : DeviceTally{search_cpu(options)};
    const std::chrono::duration<double> seconds = Clock::now() - begin;
    report_end(found.tally, seconds.count(),
               options.cuda() ? std::optional(found.kernel_seconds) : std::nullopt);
  } catch (const DeviceError& error) {
    return fail(DeviceError("--device cuda: " + std::string(error.what())), 2);
  } catch (const IsaError& error) {
    return fail(error, 2);
  } catch (const std::exception& error) {
    return fail(error, 1);
  }
  return 0;
}
