// mask-rcnn finds objects in pictures, with their boxes and masks, one picture at a time: the
// inference that [C] compares machines by.
//
// [C] Carneiro et al., "Performance Analysis of Google Colaboratory as a Tool for Accelerating Deep
//     Learning Applications", IEEE Access 6, 2018, section IV-B.
#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <ATen/Version.h>
#include <c10/core/GradMode.h>
#include <c10/util/Exception.h>
#include <lapcast/lap.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/command_line.h"
#include "common/cpus.h"
#include "common/device.h"
#include "common/memory.h"
#include "common/stage.h"
#include "common/tensor_file.h"
#include "common/tensor_memory.h"
#include "data/byte_file.h"
#include "data/picture.h"
#include "detection/drawing.h"
#include "detection/image_sizes.h"
#include "detection/mask_rcnn.h"
#include "detection/scene.h"
#include "detection/weights.h"

namespace {

using namespace lapcast::workloads;
using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

struct Options {
  std::string size_list = "1152x1600,686x1024,443x760";
  std::vector<Sides> sizes = {};  ///< of size_list
  int64_t repeats = 30;
  std::string backbone = "resnet101";
  int64_t classes = 91;
  fs::path weights;
  double norm_epsilon = 1e-5;
  fs::path image;
  fs::path draw;
  fs::path write_result;
  std::string device = "cpu";
  int64_t threads = 0;
  uint64_t seed = 1;
  DetectionSettings settings;
  bool describe = false;

  int64_t layers() const { return backbone == "resnet101" ? 101 : 50; }
};

void add_picture_options(CommandLine& line, Options& o) {
  line.text("sizes", o.size_list, "LIST", "Sizes of the synthetic pictures, rows x columns");
  line.path("image", o.image, "FILE", "Read this PNG, JPEG or PPM picture instead");
  line.count("repeats", o.repeats, "Times that every picture is searched; each is a lap");
  line.path("draw", o.draw, "FILE", "Draw boxes and masks over the picture, as PNG");
  line.path("write-result", o.write_result, "FILE",
            "Write picture, boxes, labels, scores and masks for torch.load()");
}

void add_network_options(CommandLine& line, Options& o) {
  line.choice("backbone", o.backbone, {"resnet50", "resnet101"}, "The network below the pyramid");
  line.number("classes", o.classes, 2, 100000, "Classes, with the background");
  line.path("weights", o.weights, "FILE",
            "torchvision's state dict in a file of torch.save() (default: random weights)");
  line.real("norm-epsilon", o.norm_epsilon, 0, 1,
            "Epsilon of the normalisations; 0 for torchvision's published weights");
  line.seed("seed", o.seed, "Seed of random weights and of the pictures");
  line.count("short-side", o.settings.short_side, "Pixels of the shorter side that it sees,");
  line.count("long-side", o.settings.long_side, "or of the longer side, whichever is smaller");
  line.count("proposals", o.settings.proposals.in_all, "Boxes that are looked into, at most");
  line.count("detections", o.settings.detections.count, "Objects of a picture, at most");
  line.real("least-score", o.settings.detections.least_score, 0, 1, "Of an object");
}

void add_machine_options(CommandLine& line, Options& o) {
  line.choice("device", o.device, {"cpu", "cuda"}, "Where to compute");
  line.number("threads", o.threads, 1, 4096, "CPU threads (default: the CPUs it may run on)");
  line.flag("describe", o.describe, "Print what this is as one line of JSON, and end");
}

/// Checks options that depend on each other. Returns the exit status as CommandLine::parse() does.
int complete_options(const CommandLine& line, Options& options) {
  const auto sizes = parse_sizes(options.size_list);
  if (!sizes) {
    return line.refuse("--sizes " + options.size_list +
                       ": must be sizes such as 443x760, of at most " +
                       std::to_string(kLargestSide) + " pixels a side and " +
                       std::to_string(kMostPixels >> 20) + " Mi pixels");
  }
  options.sizes = *sizes;
  const bool one = !options.image.empty() || options.sizes.size() == 1;
  if (!one && !(options.draw.empty() && options.write_result.empty())) {
    return line.refuse("--draw and --write-result need one picture: --image or one of --sizes");
  }
  options.settings.proposals.of_a_map = options.settings.proposals.in_all;
  if (options.threads == 0) options.threads = usable_cpus();
  return -1;
}

/// Prints the same members as the training programs do.
void describe(const Options& options) {
  std::printf(
      R"({"name":"mask-rcnn","parameters":%lld,"batch":1,"epochs":1,"optimizer":"",)"
      R"("layers":[]})"
      "\n",
      static_cast<long long>(MaskRcnn(options.layers(), options.classes).trained_numbers()));
}

std::vector<Picture> read_pictures(const Options& options) {
  const Stage stage("data-load");
  if (!options.image.empty()) return {read_picture(options.image)};
  std::vector<Picture> pictures;
  for (const Sides& size : options.sizes) {
    pictures.push_back(draw_scene(size.height, size.width, options.seed));
  }
  return pictures;
}

/// Returns the picture's colours, 0..1, as 3 x rows x columns.
at::Tensor tensor_of(const Picture& picture, c10::Device device) {
  const at::Tensor bytes = at::from_blob(const_cast<uint8_t*>(picture.pixels.data()),
                                         {picture.height, picture.width, 3}, at::kByte);
  return (bytes.permute({2, 0, 1}).to(at::kFloat) / 255).contiguous().to(device);
}

/// Holds the times of a picture.
struct Times {
  std::vector<double> seconds;
  int64_t objects = 0;

  double mean() const {
    double sum = 0;
    for (const double one : seconds) sum += one;
    return sum / static_cast<double>(seconds.size());
  }
};

/// Finds objects, and waits until a GPU has done so.
Detections detect(MaskRcnn& network, const at::Tensor& picture, const Options& options) {
  Detections found = network.detect(picture, options.settings);
  found.boxes = found.boxes.cpu();
  return found;
}

/// Searches the picture repeatedly; each time is a lap. Returns what was found the last time.
Detections time_picture(MaskRcnn& network, const at::Tensor& picture, const Options& options,
                        Times& times) {
  Detections found;
  for (int64_t i = 0; i < options.repeats; ++i) {
    const auto begin = Clock::now();
    found = {};
    found = detect(network, picture, options);
    times.seconds.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
    lapcast_iteration(1);
  }
  times.objects = found.boxes.size(0);
  return found;
}

void print_start(const Options& options, size_t pictures) {
  const std::string where =
      options.device == "cuda"
          ? "cuda"
          : std::to_string(options.threads) + " threads, cpu " + at::get_cpu_capability();
  std::printf("mask-rcnn: %zu pictures x %lld, %s, %s weights, %s\n", pictures,
              static_cast<long long>(options.repeats), options.backbone.c_str(),
              options.weights.empty() ? "random" : options.weights.c_str(), where.c_str());
  std::fflush(stdout);
}

void print_times(const Picture& picture, const Times& times) {
  const auto [least, most] = std::minmax_element(times.seconds.begin(), times.seconds.end());
  std::printf("%s: %zu times, %.4f s each (%.4f to %.4f), %lld objects\n",
              size_text({picture.height, picture.width}).c_str(), times.seconds.size(),
              times.mean(), *least, *most, static_cast<long long>(times.objects));
  std::fflush(stdout);
}

/// Prints the objects of a picture that the user gave.
void print_objects(const Detections& found) {
  const at::Tensor boxes = found.boxes.cpu(), scores = found.scores.cpu();
  const at::Tensor labels = found.labels.cpu();
  for (int64_t i = 0; i < boxes.size(0); ++i) {
    const auto side = [&](int64_t column) { return boxes[i][column].item<double>(); };
    std::printf("class %lld, score %.3f, box %.1f %.1f %.1f %.1f\n",
                static_cast<long long>(labels[i].item<int64_t>()), scores[i].item<double>(),
                side(0), side(1), side(2), side(3));
  }
}

void write_results(const Options& options, Picture& picture, const at::Tensor& image,
                   const Detections& found) {
  if (!options.image.empty()) print_objects(found);
  if (!options.write_result.empty()) {
    write_tensors(options.write_result, {{"picture", image},
                                         {"boxes", found.boxes},
                                         {"labels", found.labels},
                                         {"scores", found.scores},
                                         {"masks", found.masks}});
  }
  if (options.draw.empty()) return;
  draw_detections(picture, found);
  write_picture(options.draw, picture);
}

/// Builds the network, and searches every picture once: the first time makes what is kept.
std::shared_ptr<MaskRcnn> make_network(const Options& options, c10::Device device,
                                       const std::vector<at::Tensor>& pictures) {
  const Stage stage("compile");
  at::manual_seed(options.seed);
  const auto network = std::make_shared<MaskRcnn>(options.layers(), options.classes);
  if (!options.weights.empty()) load_weights(*network, options.weights);
  network->to(device);
  network->fold_norms(options.norm_epsilon);
  for (const at::Tensor& picture : pictures) detect(*network, picture, options);
  return network;
}

void report_plan(const Options& options, size_t pictures) {
  lapcast_plan_t plan = {};
  plan.steps = options.repeats * static_cast<int64_t>(pictures);
  plan.batch_size = 1;
  lapcast_plan(plan);
}

void search(const Options& options) {
  const c10::NoGradGuard no_gradients;
  use_threads(static_cast<int>(options.threads));
  const c10::Device device = choose_devices(options.device == "cuda", 1).front();
  std::vector<Picture> pictures = read_pictures(options);
  std::vector<at::Tensor> images;
  for (const Picture& picture : pictures) images.push_back(tensor_of(picture, device));
  print_start(options, pictures.size());
  const auto network = make_network(options, device, images);
  report_plan(options, pictures.size());
  double seconds = 0, objects = 0;
  Detections found;
  lapcast_stage_begin("evaluate");
  for (size_t i = 0; i < pictures.size(); ++i) {
    Times times;
    found = {};
    found = time_picture(*network, images[i], options, times);
    print_times(pictures[i], times);
    seconds += times.mean() / static_cast<double>(pictures.size());
    objects += static_cast<double>(times.objects) / static_cast<double>(pictures.size());
  }
  lapcast_stage_end("evaluate");
  lapcast_metric("seconds", seconds);
  lapcast_metric("objects", objects);
  write_results(options, pictures.back(), images.back(), found);
}

int fail(std::string_view message, int status) {
  std::fprintf(stderr, "mask-rcnn: %s\n",
               std::string(message.substr(0, message.find('\n'))).c_str());
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  keep_freed_memory();
  place_tensors_by_first_fit();
  end_without_freeing();
  CommandLine line("mask-rcnn",
                   "Finds objects in pictures, with their boxes and masks, and times it.",
                   "  mask-rcnn --repeats 3\n"
                   "  mask-rcnn --sizes 443x760 --device cuda\n"
                   "  mask-rcnn --backbone resnet50 --weights maskrcnn_resnet50_fpn.pth "
                   "--norm-epsilon 0 \\\n    --image team.jpg --draw found.png --repeats 1\n");
  Options options;
  add_picture_options(line, options);
  add_network_options(line, options);
  add_machine_options(line, options);
  if (const int status = line.parse(argc, argv); status >= 0) return status;
  if (const int status = complete_options(line, options); status >= 0) return status;
  try {
    if (options.describe) {
      describe(options);
    } else {
      search(options);
    }
  } catch (const DeviceError& error) {
    return fail(error.what(), 2);
  } catch (const c10::Error& error) {
    return fail(error.what_without_backtrace(), 1);
  } catch (const std::exception& error) {
    return fail(error.what(), 1);
  }
  return 0;
}
