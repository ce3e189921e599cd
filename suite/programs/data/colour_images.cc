#include "data/colour_images.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "common/share_out.h"

namespace lapcast::workloads {
namespace {

constexpr float kPi = std::numbers::pi_v<float>;
constexpr float kCentre = (kCifarSide - 1) / 2.0f;
using Colour = std::array<float, kCifarChannels>;  // 0 dark .. 1 bright
using Canvas = std::array<Colour, kCifarSide * kCifarSide>;

struct Point {
  float x = 0;
  float y = 0;
};

bool in_bar(Point p, float half_width, float half_length) {
  return std::abs(p.x) < half_width && std::abs(p.y) < half_length;
}

bool in_disc(Point p, float radius) {
  return std::hypot(p.x, p.y) < radius;
}

/// Returns whether p lies in a star with five points.
bool in_star(Point p) {
  constexpr float kPoints = 5, kOuter = 1.0f, kInner = 0.42f;
  const float turns = (std::atan2(p.y, p.x) / (2 * kPi) + 1) * kPoints;
  const float from_tip =
      std::abs(turns - std::floor(turns) - 0.5f) * 2;  // 0 in a notch, 1 at a tip
  return std::hypot(p.x, p.y) < kInner + (kOuter - kInner) * from_tip * from_tip;
}

bool in_triangle(Point p) {
  return p.y < 0.6f && p.y > -0.9f + 1.75f * std::abs(p.x);
}

/// Returns whether a shape covers p; shapes reach from -1 to 1.
bool covers(int shape, Point p) {
  switch (shape) {
    case 0:
      return in_disc(p, 0.85f);
    case 1:
      return in_disc(p, 0.95f) && !in_disc(p, 0.55f);
    case 2:
      return in_bar(p, 0.75f, 0.75f);
    case 3:
      return in_triangle(p);
    case 4:
      return in_bar(p, 0.28f, 0.95f) || in_bar({p.y, p.x}, 0.28f, 0.95f);
    case 5:
      return in_star(p);
    case 6:
      return in_disc(p, 0.9f) && !in_disc({p.x - 0.45f, p.y}, 0.7f);
    case 7:
      return in_bar({std::abs(p.x) - 0.55f, p.y}, 0.22f, 0.85f);
    case 8:
      return in_bar(p, 0.85f, 0.85f) && p.x * p.y > 0;
    default:
      return in_bar({p.x + 0.5f, p.y}, 0.27f, 0.9f) || in_bar({p.x, p.y - 0.63f}, 0.77f, 0.27f);
  }
}

/// Maps pixels to a shape's own units, by the shape's position, rotation and size.
class Placement {
 public:
  Placement(Random& r, float smallest, float largest, float farthest)
      : x_(kCentre + r.between(-farthest, farthest)), y_(kCentre + r.between(-farthest, farthest)) {
    const float angle = r.between(0, 2 * kPi), radius = r.between(smallest, largest);
    cos_ = std::cos(angle) / radius;
    sin_ = std::sin(angle) / radius;
    stretch_ = r.between(0.8f, 1.25f);
  }

  Point operator()(Point pixel) const {
    const float dx = pixel.x - x_, dy = pixel.y - y_;
    return {(cos_ * dx + sin_ * dy) * stretch_, (cos_ * dy - sin_ * dx) / stretch_};
  }

 private:
  float x_, y_, cos_, sin_, stretch_;
};

/// Returns the colour with the hue in turns (red 0, green 1/3, blue 2/3), saturation and value in
/// 0..1.
Colour from_hue(float hue, float saturation, float value) {
  Colour colour;
  for (size_t c = 0; c < colour.size(); ++c) {
    const float turn = hue - static_cast<float>(c) / 3;
    // 0 at the channel's own hue, 3 at the opposite one
    const float away = std::abs(turn - std::round(turn)) * 6;
    colour[c] = value * (1 - saturation * std::clamp(away - 1, 0.0f, 1.0f));
  }
  return colour;
}

/// Describes a surface: one colour, shaded in one direction, sometimes with stripes.
class Paint {
 public:
  Paint(Random& r, Colour colour)
      : colour_(colour),
        shade_x_(r.between(-0.012f, 0.012f)),
        shade_y_(r.between(-0.012f, 0.012f)),
        stripes_(r.chance(0.35f) ? r.between(0.1f, 0.3f) : 0) {
    const float angle = r.between(0, kPi), pitch = 2 * kPi / r.between(3, 7);
    stripe_x_ = pitch * std::cos(angle);
    stripe_y_ = pitch * std::sin(angle);
  }

  Colour at(Point p) const {
    const float light = 1 + shade_x_ * (p.x - kCentre) + shade_y_ * (p.y - kCentre) +
                        stripes_ * std::sin(stripe_x_ * p.x + stripe_y_ * p.y);
    Colour colour = colour_;
    for (float& c : colour) c *= light;
    return colour;
  }

 private:
  Colour colour_;
  float shade_x_, shade_y_, stripes_, stripe_x_, stripe_y_;
};

/// Paints the points for which `inside` is true; each pixel is sampled at four points.
template <typename Inside>
void paint(Canvas& canvas, const Paint& what, Inside inside) {
  for (int y = 0; y < kCifarSide; ++y) {
    for (int x = 0; x < kCifarSide; ++x) {
      const Point p{static_cast<float>(x), static_cast<float>(y)};
      float covered = 0;
      for (float dy : {-0.25f, 0.25f}) {
        for (float dx : {-0.25f, 0.25f}) covered += inside({p.x + dx, p.y + dy}) ? 0.25f : 0;
      }
      if (covered == 0) continue;
      const Colour colour = what.at(p);
      Colour& pixel = canvas[static_cast<size_t>(y * kCifarSide + x)];
      for (size_t c = 0; c < pixel.size(); ++c) pixel[c] += covered * (colour[c] - pixel[c]);
    }
  }
}

/// Holds the colours of the shape and the background, whose brightness differs by at least 0.25.
struct Colours {
  Colour thing;
  Colour background;
};

Colours random_colours(int shape, Random& r) {
  const float favourite = static_cast<float>(shape) / kCifarClasses;
  const float hue = r.chance(0.6f) ? favourite + 0.06f * r.bell() : r.unit();
  const float value = r.between(0.35f, 1.0f);
  const float difference = r.between(0.25f, 0.5f);
  const bool darker = value - difference > 0.1f && (value + difference > 1 || r.chance(0.5f));
  return {
      from_hue(hue, r.between(0.3f, 0.9f), value),
      from_hue(r.unit(), r.between(0.1f, 0.6f), darker ? value - difference : value + difference)};
}

/// Adds a small disc or stick of any colour.
void add_clutter(Canvas& canvas, Random& r) {
  const Placement place(r, 1.0f, 2.5f, 15);
  const Paint colour(r, from_hue(r.unit(), r.unit(), r.unit()));
  const bool stick = r.chance(0.5f);
  paint(canvas, colour,
        [&](Point p) { return stick ? in_bar(place(p), 0.4f, 2.5f) : in_disc(place(p), 1); });
}

void store(const Canvas& canvas, Random& r, std::span<uint8_t, kCifarPixels> pixels) {
  const float noise = r.between(0.01f, 0.08f);
  for (size_t c = 0; c < kCifarChannels; ++c) {
    for (size_t i = 0; i < canvas.size(); ++i) {
      const float value = std::clamp(canvas[i][c] + noise * r.bell(), 0.0f, 1.0f);
      pixels[c * canvas.size() + i] = static_cast<uint8_t>(value * 255 + 0.5f);
    }
  }
}

}  // namespace

void draw_colour_image(int shape, Random& random, std::span<uint8_t, kCifarPixels> pixels) {
  const Colours colours = random_colours(shape, random);
  Canvas canvas{};
  paint(canvas, Paint(random, colours.background), [](Point) { return true; });
  for (uint32_t left = random.below(4); left > 0; --left) add_clutter(canvas, random);
  const Placement place(random, 7.5f, 13, 4);
  paint(canvas, Paint(random, colours.thing), [&](Point p) { return covers(shape, place(p)); });
  if (random.chance(0.5f)) add_clutter(canvas, random);
  store(canvas, random, pixels);
}

Cifar10Images make_colour_images(int64_t count, uint64_t seed, Cifar10Part part, int64_t threads) {
  Cifar10Images images;
  images.pixels.resize(static_cast<size_t>(count * kCifarPixels));
  images.labels.resize(static_cast<size_t>(count));
  const uint64_t stream = part == Cifar10Part::kTraining ? 1 : 2;
  share_out(count, threads, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      Random random(mix_seeds(seed, stream, static_cast<uint64_t>(i)));
      const auto shape = static_cast<uint8_t>(i % kCifarClasses);
      images.labels[static_cast<size_t>(i)] = shape;
      uint8_t* at = images.pixels.data() + i * kCifarPixels;
      draw_colour_image(shape, random, std::span<uint8_t, kCifarPixels>(at, kCifarPixels));
    }
  });
  return images;
}

}  // namespace lapcast::workloads
