#include "data/digits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "common/share_out.h"
#include "data/strokes.h"

namespace lapcast::workloads {
namespace {

constexpr float kCentre = (kDigitSide - 1) / 2.0f;
using Canvas = std::array<float, kDigitPixels>;  // 0 black .. 1 white

/// Bends the paper by a slow wave with displacements of up to `size` in x and y.
class Bend {
 public:
  Bend(Random& r, float size) : size_(size) {
    for (float& f : frequency_) f = r.between(1.0f, 3.2f);
    for (float& p : phase_) p = r.between(0, 2 * std::numbers::pi_v<float>);
  }

  Point operator()(Point p) const {
    return {p.x + size_ *
                      (std::sin(frequency_[0] * p.y + phase_[0]) +
                       std::sin(frequency_[1] * p.x + phase_[1])) /
                      2,
            p.y + size_ *
                      (std::sin(frequency_[2] * p.x + phase_[2]) +
                       std::sin(frequency_[3] * p.y + phase_[3])) /
                      2};
  }

 private:
  float size_;
  std::array<float, 4> frequency_{};
  std::array<float, 4> phase_{};
};

/// Maps the units of a glyph to pixels by rotation, shear, scale and shift.
class Placement {
 public:
  explicit Placement(Random& r) {
    const float angle = 0.19f * r.bell();  // radians: 11 degrees
    const float shear = 0.18f * r.bell();
    const float sx = r.between(6.6f, 10.6f);  // pixels per unit
    const float sy = r.between(6.6f, 10.0f);
    const float c = std::cos(angle), s = std::sin(angle);
    xx_ = c * sx, xy_ = (c * shear - s) * sy;
    yx_ = s * sx, yy_ = (s * shear + c) * sy;
    dx_ = kCentre + r.between(-2.8f, 2.8f);
    dy_ = kCentre + r.between(-2.8f, 2.8f);
  }

  Point operator()(Point p) const {
    return {xx_ * p.x + xy_ * p.y + dx_, yx_ * p.x + yy_ * p.y + dy_};
  }

 private:
  float xx_, xy_, yx_, yy_, dx_, dy_;
};

/// Holds the radius of full ink and the width of the soft edge, in pixels, and the strength, 0..1.
struct Pen {
  float radius;
  float edge;
  float strength;
};

Pen random_pen(Random& r) {
  return {r.between(0.35f, 1.5f), r.between(0.5f, 1.6f), r.between(0.55f, 1.0f)};
}

float squared_distance(Point p, Point a, Point b) {
  const float abx = b.x - a.x, aby = b.y - a.y;
  const float apx = p.x - a.x, apy = p.y - a.y;
  const float length2 = abx * abx + aby * aby;
  const float t = length2 > 0 ? std::clamp((apx * abx + apy * aby) / length2, 0.0f, 1.0f) : 0.0f;
  const float dx = apx - t * abx, dy = apy - t * aby;
  return dx * dx + dy * dy;
}

/// Lowers the squared distances of the pixels near one line.
void mark(Canvas& distance2, Point a, Point b, float reach) {
  const auto first = [reach](float u, float v) {
    return std::max(0, static_cast<int>(std::floor(std::min(u, v) - reach)));
  };
  const auto last = [reach](float u, float v) {
    return std::min(kDigitSide - 1, static_cast<int>(std::ceil(std::max(u, v) + reach)));
  };
  const int x0 = first(a.x, b.x), x1 = last(a.x, b.x);
  const int y0 = first(a.y, b.y), y1 = last(a.y, b.y);
  for (int y = y0; y <= y1; ++y) {
    for (int x = x0; x <= x1; ++x) {
      const Point p{static_cast<float>(x), static_cast<float>(y)};
      float& d = distance2[static_cast<size_t>(y * kDigitSide + x)];
      d = std::min(d, squared_distance(p, a, b));
    }
  }
}

/// Inks the canvas along strokes in pixel coordinates.
void ink(Canvas& canvas, const Strokes& strokes, const Pen& pen) {
  constexpr float kFar = 1e9f;
  Canvas distance2;
  distance2.fill(kFar);
  const float reach = pen.radius + pen.edge;
  for (const Stroke& stroke : strokes) {
    for (size_t i = 1; i < stroke.size(); ++i) mark(distance2, stroke[i - 1], stroke[i], reach);
  }
  for (size_t i = 0; i < canvas.size(); ++i) {
    if (distance2[i] >= reach * reach) continue;
    const float depth = std::min(1.0f, (reach - std::sqrt(distance2[i])) / pen.edge);
    canvas[i] = std::max(canvas[i], pen.strength * depth);
  }
}

/// Returns a short stray stroke, as neighbouring digits and dirt leave it.
Strokes stray_stroke(Random& r) {
  const Point at{r.between(0, kDigitSide), r.between(0, kDigitSide)};
  const float angle = r.between(0, 2 * std::numbers::pi_v<float>);
  const float length = r.between(2, 8);
  return {{at, {at.x + length * std::cos(angle), at.y + length * std::sin(angle)}}};
}

/// Erases a straight band, one or two pixels wide.
void wipe(Canvas& canvas, Random& r) {
  const float angle = r.between(0, std::numbers::pi_v<float>);
  const float nx = std::cos(angle), ny = std::sin(angle);
  const float offset = r.between(-7, 7);
  const float half = r.between(0.5f, 1.2f);
  for (int y = 0; y < kDigitSide; ++y) {
    for (int x = 0; x < kDigitSide; ++x) {
      const float d =
          nx * (static_cast<float>(x) - kCentre) + ny * (static_cast<float>(y) - kCentre) - offset;
      if (std::abs(d) < half) canvas[static_cast<size_t>(y * kDigitSide + x)] *= 0.2f;
    }
  }
}

}  // namespace

void draw_digit(int digit, Random& random, std::span<uint8_t, kDigitPixels> pixels) {
  Strokes strokes = digit_strokes(digit, random);
  const Bend bend(random, random.between(0.05f, 0.22f));
  const Placement place(random);
  for (Stroke& stroke : strokes) {
    for (Point& p : stroke) p = place(bend(p));
  }
  Canvas canvas{};
  ink(canvas, strokes, random_pen(random));
  if (random.chance(0.25f)) wipe(canvas, random);
  for (int i = 0; i < 2; ++i) {
    if (random.chance(0.3f)) ink(canvas, stray_stroke(random), random_pen(random));
  }
  const float noise = random.between(0, 0.14f);
  for (size_t i = 0; i < canvas.size(); ++i) {
    const float value = std::clamp(canvas[i] + noise * random.bell(), 0.0f, 1.0f);
    pixels[i] = static_cast<uint8_t>(value * 255 + 0.5f);
  }
}

LabelledImages make_digits(int64_t count, uint64_t seed, MnistPart part, int threads) {
  LabelledImages set;
  set.images = {count, kDigitSide, kDigitSide, {}};
  set.images.pixels.resize(static_cast<size_t>(count) * kDigitPixels);
  set.labels.resize(static_cast<size_t>(count));
  const uint64_t stream = part == MnistPart::kTraining ? 1 : 2;
  share_out(count, threads, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      Random random(mix_seeds(seed, stream, static_cast<uint64_t>(i)));
      const auto digit = static_cast<uint8_t>(i % kDigitClasses);
      set.labels[static_cast<size_t>(i)] = digit;
      uint8_t* at = set.images.pixels.data() + i * kDigitPixels;
      draw_digit(digit, random, std::span<uint8_t, kDigitPixels>(at, kDigitPixels));
    }
  });
  return set;
}

}  // namespace lapcast::workloads
