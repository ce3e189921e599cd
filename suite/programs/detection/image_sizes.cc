#include "detection/image_sizes.h"

#include <charconv>
#include <cstddef>
#include <cstdint>

#include "data/picture.h"

namespace lapcast::workloads {
namespace {

std::optional<int64_t> side_of(std::string_view text) {
  int64_t side = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), side);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if (side < 1 || side > kLargestSide) return std::nullopt;
  return side;
}

std::optional<Sides> size_of(std::string_view text) {
  const size_t cross = text.find('x');
  if (cross == std::string_view::npos) return std::nullopt;
  const auto height = side_of(text.substr(0, cross)), width = side_of(text.substr(cross + 1));
  if (!height || !width || *height > kMostPixels / *width) return std::nullopt;
  return Sides{*height, *width};
}

}  // namespace

std::optional<std::vector<Sides>> parse_sizes(std::string_view text) {
  std::vector<Sides> sizes;
  for (bool more = true; more;) {
    const size_t comma = text.find(',');
    const auto size = size_of(text.substr(0, comma));
    if (!size) return std::nullopt;
    sizes.push_back(*size);
    more = comma != std::string_view::npos;
    if (more) text.remove_prefix(comma + 1);
  }
  return sizes;
}

std::string size_text(const Sides& size) {
  return std::to_string(size.height) + "x" + std::to_string(size.width);
}

}  // namespace lapcast::workloads
