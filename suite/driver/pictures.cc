#include "suite/driver/pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/units.h"
#include "machine/proc_text.h"
#include "suite/driver/last_metrics.h"

namespace lapcast {
namespace {

constexpr int kLargestSide = 16384;  // the largest that the program accepts

bool is_side(std::string_view text) {
  int side = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), side);
  return error == std::errc{} && end == text.data() + text.size() && side >= 1 &&
         side <= kLargestSide && text.front() != '0';
}

bool is_image_size(std::string_view text) {
  const std::size_t cross = text.find('x');
  return cross != text.npos && is_side(text.substr(0, cross)) && is_side(text.substr(cross + 1));
}

}  // namespace

std::vector<std::string> parse_image_sizes(std::string_view text) {
  std::vector<std::string> sizes;
  for (const std::string_view size : split(text, ',')) {
    if (!is_image_size(size))
      throw Error(
          ExitCode::usage,
          fmt::format("'{}' is not a list of image sizes, rows x columns from 1 to {}, such as "
                      "443x760 or 686x1024,443x760",
                      printable(text, 60), kLargestSide));
    if (std::ranges::find(sizes, size) == sizes.end()) sizes.emplace_back(size);
  }
  return sizes;
}

std::string_view name_of(PictureMode mode) {
  return mode == PictureMode::gpu ? "GPU" : "multithreaded";
}

Result<PictureResult> picture_result(const Run& run) {
  const auto metrics = last_metrics(run, {"seconds", "objects"});
  if (!metrics) return tl::unexpected(metrics.error());
  const PictureResult result{(*metrics)[0], (*metrics)[1]};
  if (!(result.seconds > 0) || !(result.objects >= 0))
    return because("what it reports is not a time and a count");
  return result;
}

std::optional<PictureRuns> pictures_of(const RunContext& context) {
  const auto size = context.settings.find("sizes"), device = context.settings.find("device");
  if (size == context.settings.end() || !is_image_size(size->second)) return std::nullopt;
  PictureRuns pictures;
  pictures.size = size->second;
  const bool gpu = device != context.settings.end() && device->second == "cuda";
  pictures.mode = gpu ? PictureMode::gpu : PictureMode::cores;
  return pictures;
}

void add_results(PictureRuns& pictures, std::span<const Run> runs) {
  for (const Run& run : runs) {
    if (run.context.warm_up) continue;
    const Result<PictureResult> one = picture_result(run);
    if (!one) {
      pictures.reason = one.error().text;
      continue;
    }
    pictures.seconds.push_back(one->seconds);
    pictures.objects = one->objects;
  }
  if (!pictures.seconds.empty()) pictures.reason.clear();
}

}  // namespace lapcast
