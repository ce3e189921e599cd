// Lawrence et al. 2017: the embryo network, its memory, its images and its training times.
#include <string_view>
#include <utility>
#include <vector>

#include "suite/papers/study.h"

namespace lapcast {
namespace {

// The network of section II.C: images of 64 x 64, kernels of 5 x 5, 32 and 64 maps, 1024 nodes, 4
// classes; each pooling halves both sides.
constexpr double kSide = 64;
constexpr double kKernel = 25;
constexpr double kMaps1 = 32;
constexpr double kMaps2 = 64;
constexpr double kNodes = 1024;
constexpr double kClasses = 4;
constexpr double kBytesOfNumber = 4;
constexpr double kRotations = 20;
constexpr double kTrainingShare = 0.8;

struct Lawrence {
  PaperFacts fact{lawrence_csv()};
  std::vector<PaperCell> cells;

  void add(std::string_view row, std::string_view quantity, const Interval<double>& recomputed) {
    cells.push_back(fact.cell(row, quantity, recomputed));
  }
  void add(std::string_view row, std::string_view quantity, double recomputed) {
    add(row, quantity, Interval<double>::exactly(recomputed));
  }
  double value(std::string_view row, std::string_view quantity) const {
    return fact(row, quantity).value.mid;
  }
};

void add_parameters(Lawrence& paper) {
  paper.add("first convolution", "parameters", kKernel * kMaps1 + kMaps1);
  paper.add("second convolution", "parameters", kKernel * kMaps1 * kMaps2 + kMaps2);
  paper.add("first dense layer", "parameters",
            (kSide / 4) * (kSide / 4) * kMaps2 * kNodes + kNodes);
  paper.add("second dense layer", "parameters", kNodes * kClasses);
  double sum = 0;
  for (const char* layer :
       {"first convolution", "second convolution", "first dense layer", "second dense layer"})
    sum += paper.value(layer, "parameters");
  paper.add("network", "parameters", sum);
}

void add_memory(Lawrence& paper) {
  const auto maps = [](double side, double count) { return side * side * count; };
  paper.add("input", "numbers", maps(kSide, 1));
  paper.add("first convolution", "numbers", maps(kSide, kMaps1));
  paper.add("first pooling", "numbers", maps(kSide / 2, kMaps1));
  paper.add("second convolution", "numbers", maps(kSide / 2, kMaps2));
  paper.add("second pooling", "numbers", maps(kSide / 4, kMaps2));
  paper.add("first dense layer", "numbers", kNodes);
  paper.add("second dense layer", "numbers", kClasses);
  double sum = paper.value("network", "parameters");
  for (const char* layer : {"input", "first convolution", "first pooling", "second convolution",
                            "second pooling", "first dense layer", "second dense layer"})
    sum += paper.value(layer, "numbers");
  paper.add("one image", "numbers", sum);
  paper.add("one image", "memory", paper.value("one image", "numbers") * kBytesOfNumber / 1e6);
}

void add_images(Lawrence& paper) {
  paper.add("of all cells", "images", paper.value("of three cells", "images") * kClasses);
  paper.add("rotated", "images", paper.value("of all cells", "images") * kRotations);
  paper.add("training", "images", paper.value("rotated", "images") * kTrainingShare);
  paper.add("test", "images", paper.value("rotated", "images") * (1 - kTrainingShare));
  paper.add("batch", "share of the training images",
            100 * paper.value("batch", "images") / paper.value("training", "images"));
  paper.add("epoch", "steps", paper.value("training", "images") / paper.value("batch", "images"));
}

/// Adds the time expected for a machine if it were proportional to cores x clock, and how much
/// longer it really took.
void add_expectation(Lawrence& paper) {
  const PaperFacts& fact = paper.fact;
  const double cores = paper.value("laptop", "cores") / paper.value("desktop", "cores");
  const auto expected =
      over_rounding({fact("laptop", "training"), fact("laptop", "clock"), fact("desktop", "clock")},
                    [&](auto x) { return x[0] * cores * x[1] / x[2]; });
  paper.add("desktop", "linear expectation", expected);
  paper.cells.push_back({.table = "5",
                         .place = "section II.I",
                         .row = "desktop",
                         .quantity = "measured over expected",
                         .unit = "ratio",
                         .recomputed = printed_ratio(fact("desktop", "training"),
                                                     fact("desktop", "linear expectation")),
                         .reason = "134 min measured, 114 min by cores x clock"});
}

/// Adds the memory per image at the batch for which the GPU ran out of memory: all of it minus the
/// parameters, their gradients and Adam's two numbers each.
void add_memory_limit(Lawrence& paper) {
  const PaperFacts& fact = paper.fact;
  constexpr double kCopiesOfParameters = 4;
  const double fixed = kCopiesOfParameters * kBytesOfNumber * paper.value("network", "parameters");
  const auto of_an_image =
      over_rounding({fact("980 Ti", "memory"), fact("980 Ti", "batch that runs out of it")},
                    [&](auto x) { return (x[0] * 1e9 - fixed) / x[1] / 1e6; });
  paper.cells.push_back({.table = "memory",
                         .place = "section II.F",
                         .row = "980 Ti",
                         .quantity = "memory of an image at the limit",
                         .unit = "MB",
                         .recomputed = of_an_image,
                         .reason = "6 GB less four times the parameters, over about 700 images"});
}

/// Returns the six systems, with the times of the other CPUs expected from the first one.
std::vector<PaperSystem> systems() {
  std::vector<PaperSystem> all;
  for (const PaperRow& row : paper_rows(lawrence_systems_csv()))
    all.push_back({.place = row.text("place"),
                   .name = row.text("system"),
                   .processor = row.text("processor"),
                   .cores = row.number_if("cores"),
                   .clock = row.number_if("clock"),
                   .gpu = row.text("gpu"),
                   .gpus = row.number_if("gpus"),
                   .minutes = row.number_if("minutes"),
                   .figure = row.text("figure")});
  const PaperSystem first = all.at(0);
  for (PaperSystem& system : all) {
    if (!system.minutes) continue;
    system.speed_up = printed_ratio(*first.minutes, *system.minutes);
    if (!system.cores || !system.clock) continue;
    const double cores = first.cores->value.mid / system.cores->value.mid;
    system.linear_expectation = over_rounding({*first.minutes, *first.clock, *system.clock},
                                              [&](auto x) { return x[0] * cores * x[1] / x[2]; });
  }
  return all;
}

}  // namespace

PaperStudy lawrence_study() {
  Lawrence paper;
  add_expectation(paper);
  add_parameters(paper);
  add_memory(paper);
  add_memory_limit(paper);
  add_images(paper);
  return {.name = "lawrence",
          .title =
              "Lawrence et al. 2017, Comparing TensorFlow Deep Learning Performance Using CPUs, "
              "GPUs, Local PCs and Cloud",
          .cells = std::move(paper.cells),
          .systems = systems(),
          .notes = {"the times of the GPUs are only in a figure, which has no numbers in the text",
                    "figure 4: about 85 % on the test images after 20 epochs, on every system"}};
}

}  // namespace lapcast
