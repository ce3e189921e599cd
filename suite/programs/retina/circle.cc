#include "retina/circle.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "common/random.h"
#include "data/jpeg.h"

namespace lapcast::workloads {
namespace {

constexpr int64_t kLines = 200;          // rows and columns that are looked at, each
constexpr size_t kFewestPoints = 24;     // on the rim
constexpr double kFewestOnCircle = 0.6;  // share of the points
constexpr int kDraws = 200;
constexpr size_t kSectors = 36, kFewestSectors = 9;

struct RimPoint {
  double x = 0, y = 0;
};

/// Returns red plus green, 0..510: fundus photographs have little blue.
int brightness(const uint8_t* pixel) {
  return pixel[0] + pixel[1];
}

int64_t line_step(int64_t size) {
  return std::max<int64_t>(1, size / kLines);
}

/// Calls work(x, y, pixel) for the pixels of a coarse grid.
template <typename Work>
void for_each_sample(const Picture& photo, Work work) {
  const int64_t step_x = line_step(photo.width), step_y = line_step(photo.height);
  for (int64_t y = step_y / 2; y < photo.height; y += step_y) {
    for (int64_t x = step_x / 2; x < photo.width; x += step_x) {
      work(x, y, photo.row(y) + 3 * x);
    }
  }
}

/// Returns the brightness that separates the field from the background.
int rim_brightness(const Picture& photo) {
  constexpr int kLeastContrast = 40;
  std::vector<int> samples;
  for_each_sample(
      photo, [&](int64_t, int64_t, const uint8_t* pixel) { samples.push_back(brightness(pixel)); });
  const auto quantile = [&](double share) {
    const auto at =
        samples.begin() + static_cast<int64_t>(share * static_cast<double>(samples.size() - 1));
    std::nth_element(samples.begin(), at, samples.end());
    return *at;
  };
  const int dark = quantile(0.02), bright = quantile(0.75);
  if (bright - dark < kLeastContrast) {
    throw PictureError("no retina: the picture has almost the same brightness everywhere");
  }
  return dark + std::max(12, (bright - dark) * 3 / 20);
}

/// Returns the first of `count` pixels, `stride` bytes apart, that begins three bright ones.
std::optional<int64_t> first_bright(const uint8_t* pixel, int64_t stride, int64_t count,
                                    int limit) {
  int64_t bright = 0;
  for (int64_t i = 0; i < count; ++i, pixel += stride) {
    bright = brightness(pixel) > limit ? bright + 1 : 0;
    if (bright == 3) return i - 2;
  }
  return std::nullopt;
}

/// Returns where rows and columns become bright, seen from their ends. A line that is bright from
/// its end says nothing about the rim.
std::vector<RimPoint> rim_points(const Picture& photo, int limit) {
  std::vector<RimPoint> points;
  const int64_t width = photo.width, height = photo.height;
  const auto add = [&](const uint8_t* from, int64_t stride, int64_t count, auto point) {
    const auto at = first_bright(from, stride, count, limit);
    if (at && *at > 1) points.push_back(point(static_cast<double>(*at)));
  };
  for (int64_t y = 0; y < height; y += line_step(height)) {
    const auto row = static_cast<double>(y), last = static_cast<double>(width - 1);
    add(photo.row(y), 3, width, [=](double i) { return RimPoint{i, row}; });
    add(photo.row(y) + 3 * (width - 1), -3, width, [=](double i) {
      return RimPoint{last - i, row};
    });
  }
  for (int64_t x = 0; x < width; x += line_step(width)) {
    const auto column = static_cast<double>(x), last = static_cast<double>(height - 1);
    const uint8_t* top = photo.row(0) + 3 * x;
    const uint8_t* bottom = photo.row(height - 1) + 3 * x;
    add(top, 3 * width, height, [=](double i) { return RimPoint{column, i}; });
    add(bottom, -3 * width, height, [=](double i) { return RimPoint{column, last - i}; });
  }
  return points;
}

/// Returns the circle with the smallest sum of squares of x^2 + y^2 + ax + by + c (Kasa, IEEE
/// Transactions on Instrumentation and Measurement 25, 1976), or nothing when the points lie on a
/// line.
std::optional<EyeCircle> fit_circle(const std::vector<RimPoint>& points) {
  const auto n = static_cast<double>(points.size());
  double mean_x = 0, mean_y = 0;
  for (const RimPoint& p : points) {
    mean_x += p.x / n;
    mean_y += p.y / n;
  }
  double xx = 0, xy = 0, yy = 0, xz = 0, yz = 0;
  for (const RimPoint& p : points) {
    const double x = p.x - mean_x, y = p.y - mean_y, z = x * x + y * y;
    xx += x * x;
    xy += x * y;
    yy += y * y;
    xz += x * z;
    yz += y * z;
  }
  const double determinant = xx * yy - xy * xy;
  if (!(determinant > 1e-9 * (xx + yy) * (xx + yy))) return std::nullopt;
  const double x = (xz * yy - yz * xy) / (2 * determinant);
  const double y = (yz * xx - xz * xy) / (2 * determinant);
  return EyeCircle{mean_x + x, mean_y + y, std::sqrt(x * x + y * y + (xx + yy) / n)};
}

std::vector<RimPoint> points_on(const EyeCircle& circle, const std::vector<RimPoint>& points,
                                double tolerance) {
  std::vector<RimPoint> on;
  const double inner = circle.radius - tolerance, outer = circle.radius + tolerance;
  for (const RimPoint& p : points) {
    const double dx = p.x - circle.x, dy = p.y - circle.y, distance2 = dx * dx + dy * dy;
    if (distance2 > inner * inner && distance2 < outer * outer) on.push_back(p);
  }
  return on;
}

double tolerance_of(const EyeCircle& circle) {
  return std::max(1.5, 0.012 * circle.radius);
}

/// Returns the circle through three random points that has the most other points on it, then fits
/// it to these: points of a notch or a reflection do not count (Fischler and Bolles,
/// Communications of the ACM 24, 1981).
std::vector<RimPoint> largest_agreement(const std::vector<RimPoint>& points, double largest) {
  Random random(1);
  const auto n = static_cast<uint32_t>(points.size());
  std::vector<RimPoint> best;
  for (int draw = 0; draw < kDraws && best.size() < points.size() * 9 / 10; ++draw) {
    const auto circle =
        fit_circle({points[random.below(n)], points[random.below(n)], points[random.below(n)]});
    if (!circle || circle->radius > largest) continue;
    std::vector<RimPoint> on = points_on(*circle, points, tolerance_of(*circle));
    if (on.size() > best.size()) best = std::move(on);
  }
  return best;
}

size_t sectors_of(const EyeCircle& circle, const std::vector<RimPoint>& points) {
  std::bitset<kSectors> hit;
  for (const RimPoint& p : points) {
    const double turn = std::atan2(p.y - circle.y, p.x - circle.x) / (2 * std::numbers::pi) + 0.5;
    hit.set(std::min(kSectors - 1, static_cast<size_t>(turn * static_cast<double>(kSectors))));
  }
  return hit.count();
}

/// Throws PictureError when the disc is not filled with the warm colours of a retina.
void check_inside(const Picture& photo, const EyeCircle& circle, int limit) {
  int64_t inside = 0, bright = 0, red = 0, blue = 0;
  for_each_sample(photo, [&](int64_t x, int64_t y, const uint8_t* pixel) {
    const double dx = static_cast<double>(x) - circle.x, dy = static_cast<double>(y) - circle.y;
    if (dx * dx + dy * dy > 0.9 * circle.radius * circle.radius) return;
    ++inside;
    bright += brightness(pixel) > limit;
    red += pixel[0];
    blue += pixel[2];
  });
  if (inside == 0 || bright < inside * 7 / 10)
    throw PictureError("no retina: the disc is not filled");
  if (blue > red) throw PictureError("no retina: the disc is more blue than red");
}

}  // namespace

EyeCircle find_eye(const Picture& photo) {
  constexpr int64_t kSmallest = 16;
  if (photo.width < kSmallest || photo.height < kSmallest) {
    throw PictureError("no retina: the picture is smaller than 16 pixels");
  }
  const int limit = rim_brightness(photo);
  const std::vector<RimPoint> points = rim_points(photo, limit);
  if (points.size() < kFewestPoints) {
    throw PictureError("no retina: there is no dark background around a disc");
  }
  std::vector<RimPoint> on =
      largest_agreement(points, static_cast<double>(std::max(photo.width, photo.height)));
  std::optional<EyeCircle> circle;
  for (int i = 0; i < 2 && on.size() >= kFewestPoints; ++i) {
    circle = fit_circle(on);
    if (!circle) break;
    on = points_on(*circle, points, tolerance_of(*circle));
  }
  const double share = static_cast<double>(on.size()) / static_cast<double>(points.size());
  if (!circle || share < kFewestOnCircle || sectors_of(*circle, on) < kFewestSectors) {
    throw PictureError("no retina: only " + std::to_string(static_cast<int>(100 * share)) +
                       " % of the rim lies on one circle");
  }
  check_inside(photo, *circle, limit);
  return *circle;
}

}  // namespace lapcast::workloads
