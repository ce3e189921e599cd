#include "detection/scene.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "common/random.h"
#include "data/picture_formats.h"

namespace lapcast::workloads {
namespace {

using Colour = std::array<float, 3>;

constexpr int kThings = 24;

struct Thing {
  float x, y, half_width, half_height;  // pixels
  bool is_round;
  Colour colour;
};

Colour random_colour(Random& random) {
  return {random.between(20, 235), random.between(20, 235), random.between(20, 235)};
}

/// Draws a thing whose size is a share of the picture, smaller ones more often.
Thing random_thing(Random& random, float height, float width) {
  const float size = std::min(height, width) * 0.5f * std::pow(2.f, random.between(-4, -1));
  return {random.between(0, width),
          random.between(0.3f * height, height),
          size * random.between(0.5f, 2),
          size * random.between(0.5f, 2),
          random.chance(0.5f),
          random_colour(random)};
}

/// Returns how far a pixel is from the middle of a thing: 1 at its edge.
float distance(const Thing& thing, float x, float y) {
  const float across = std::abs(x - thing.x) / thing.half_width;
  const float along = std::abs(y - thing.y) / thing.half_height;
  return thing.is_round ? std::hypot(across, along) : std::max(across, along);
}

void draw_background(Picture& picture, Random& random) {
  const Colour sky = random_colour(random), ground = random_colour(random);
  const auto horizon = static_cast<float>(picture.height) * random.between(0.3f, 0.5f);
  for (int64_t row = 0; row < picture.height; ++row) {
    const Colour& colour = static_cast<float>(row) < horizon ? sky : ground;
    const float light = 0.7f + 0.3f * static_cast<float>(row) / static_cast<float>(picture.height);
    for (int64_t column = 0; column < picture.width; ++column) {
      for (size_t c = 0; c < 3; ++c) {
        picture.at(row, column)[c] = static_cast<uint8_t>(colour[c] * light);
      }
    }
  }
}

void draw_thing(Picture& picture, const Thing& thing) {
  const auto within = [](float place, int64_t pixels) {
    return std::clamp<int64_t>(static_cast<int64_t>(place), 0, pixels);
  };
  const int64_t bottom = within(thing.y + thing.half_height + 1, picture.height);
  const int64_t right = within(thing.x + thing.half_width + 1, picture.width);
  for (int64_t row = within(thing.y - thing.half_height, picture.height); row < bottom; ++row) {
    for (int64_t column = within(thing.x - thing.half_width, picture.width); column < right;
         ++column) {
      const float from = distance(thing, static_cast<float>(column), static_cast<float>(row));
      if (from > 1) continue;
      for (size_t c = 0; c < 3; ++c) {
        picture.at(row, column)[c] = static_cast<uint8_t>(thing.colour[c] * (1 - 0.4f * from));
      }
    }
  }
}

void add_grain(Picture& picture, Random& random) {
  constexpr float kGrain = 6;
  for (uint8_t& value : picture.pixels) {
    value = static_cast<uint8_t>(
        std::clamp(static_cast<float>(value) + kGrain * random.bell(), 0.f, 255.f));
  }
}

}  // namespace

Picture draw_scene(int64_t height, int64_t width, uint64_t seed) {
  Picture picture = picture_of(height, width);
  Random random(mix_seeds(seed, static_cast<uint64_t>(height), static_cast<uint64_t>(width)));
  draw_background(picture, random);
  for (int i = 0; i < kThings; ++i) {
    draw_thing(picture,
               random_thing(random, static_cast<float>(height), static_cast<float>(width)));
  }
  add_grain(picture, random);
  return picture;
}

}  // namespace lapcast::workloads
