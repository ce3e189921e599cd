#include "retina/drawing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "common/parallel.h"
#include "common/random.h"
#include "data/byte_file.h"
#include "data/classes.h"
#include "data/jpeg.h"
#include "retina/anatomy.h"

namespace lapcast::workloads {
namespace {

constexpr int kQuality = 97;
constexpr int64_t kGridSide = 33;  // of the coarse texture of the choroid

/// Says what camera and light make of an eye.
struct Camera {
  EyeCircle eye;
  std::array<float, 3> colour{};  // of the fundus, 0..255
  float vignette = 0;             // loss of light at the rim
  float tilt_x = 0, tilt_y = 0;
  float grain = 0;
  float notch_x = 2, notch_y = 2;  // its centre, in radii; 2: none
  bool glare = false;
};

Camera draw_camera(double width, double height, Random& random) {
  Camera camera;
  const double side = std::min(width, height);
  const bool cut = random.chance(0.5f) && width >= 1.3 * height;
  camera.eye.radius = side * (cut ? random.between(0.54f, 0.62f) : random.between(0.44f, 0.49f));
  camera.eye.x = (width - 1) / 2 + 0.01 * width * random.between(-1, 1);
  camera.eye.y = (height - 1) / 2 + 0.01 * height * random.between(-1, 1);
  const float light = random.between(0.7f, 1.15f);
  camera.colour = {light * random.between(165, 205), light * random.between(75, 105),
                   light * random.between(25, 55)};
  camera.vignette = random.between(0.2f, 0.45f);
  camera.tilt_x = random.between(-0.12f, 0.12f);
  camera.tilt_y = random.between(-0.12f, 0.12f);
  camera.grain = random.between(2.5f, 4);
  if (random.chance(0.3f)) {
    camera.notch_x = random.chance(0.5f) ? 0.72f : -0.72f;
    camera.notch_y = -0.69f;
  }
  camera.glare = random.chance(0.25f);
  return camera;
}

/// Holds what lies over the fundus at each pixel.
struct Layers {
  Layers(int64_t columns, int64_t rows)
      : width(columns),
        height(rows),
        dark(static_cast<size_t>(columns * rows)),
        yellow(dark.size()),
        white(dark.size()) {}

  int64_t width, height;
  std::vector<float> dark, yellow, white;
};

/// Calls work(index, dx, dy) for each pixel within `reach` of the box of two points, with the
/// distance from the first one. All lengths are in pixels.
template <typename Work>
void for_each_near(const Layers& layers, float x0, float y0, float x1, float y1, float reach,
                   Work work) {
  const auto last = [](float at, int64_t size) {
    return static_cast<int64_t>(std::clamp(at + 1, -1.0f, static_cast<float>(size - 1)));
  };
  const auto first = [](float at) { return static_cast<int64_t>(std::max(at, 0.0f)); };
  const int64_t right = last(std::max(x0, x1) + reach, layers.width);
  const int64_t bottom = last(std::max(y0, y1) + reach, layers.height);
  for (int64_t y = first(std::min(y0, y1) - reach); y <= bottom; ++y) {
    for (int64_t x = first(std::min(x0, x1) - reach); x <= right; ++x) {
      work(static_cast<size_t>(y * layers.width + x), static_cast<float>(x) - x0,
           static_cast<float>(y) - y0);
    }
  }
}

void draw_vessel(const VesselPiece& piece, const EyeCircle& eye, Layers& layers) {
  const auto scale = static_cast<float>(eye.radius);
  const float x0 = static_cast<float>(eye.x) + scale * piece.x0;
  const float y0 = static_cast<float>(eye.y) + scale * piece.y0;
  const float along_x = scale * (piece.x1 - piece.x0), along_y = scale * (piece.y1 - piece.y0);
  const float radius = scale * piece.radius + 0.5f;
  const float length2 = along_x * along_x + along_y * along_y;
  for_each_near(layers, x0, y0, x0 + along_x, y0 + along_y, radius,
                [&](size_t i, float dx, float dy) {
                  const float t = std::clamp((dx * along_x + dy * along_y) / length2, 0.0f, 1.0f);
                  const float ex = dx - t * along_x, ey = dy - t * along_y;
                  const float depth = 1 - (ex * ex + ey * ey) / (radius * radius);
                  layers.dark[i] = std::max(layers.dark[i], piece.darkness * depth);
                });
}

void draw_spot(const Spot& spot, const EyeCircle& eye, Layers& layers) {
  const auto scale = static_cast<float>(eye.radius);
  const float x = static_cast<float>(eye.x) + scale * spot.x;
  const float y = static_cast<float>(eye.y) + scale * spot.y;
  const float cosine = std::cos(spot.turn), sine = std::sin(spot.turn);
  const float across = 1 / (scale * spot.radius_x), along = 1 / (scale * spot.radius_y);
  const float reach = scale * std::max(spot.radius_x, spot.radius_y);
  for_each_near(layers, x, y, x, y, reach, [&](size_t i, float dx, float dy) {
    const float u = (cosine * dx + sine * dy) * across, v = (cosine * dy - sine * dx) * along;
    const float inside = std::clamp((1 - std::sqrt(u * u + v * v)) / spot.softness, 0.0f, 1.0f);
    const float strength = inside * inside * (3 - 2 * inside);
    layers.dark[i] = std::max(layers.dark[i], strength * spot.darkness);
    layers.yellow[i] += strength * spot.yellow;
    layers.white[i] += strength * spot.white;
  });
}

/// Is a coarse grid of random numbers that is interpolated linearly.
class Texture {
 public:
  explicit Texture(Random& random) {
    for (float& value : grid_) value = 0.05f * random.bell();
  }

  /// Takes a place in [0, 1] x [0, 1].
  float at(float x, float y) const {
    const float fx = x * (kGridSide - 2), fy = y * (kGridSide - 2);
    const auto column = static_cast<int64_t>(fx), row = static_cast<int64_t>(fy);
    const float across = fx - static_cast<float>(column), down = fy - static_cast<float>(row);
    const float* above = grid_.data() + row * kGridSide + column;
    const float* below = above + kGridSide;
    return (above[0] * (1 - across) + above[1] * across) * (1 - down) +
           (below[0] * (1 - across) + below[1] * across) * down;
  }

 private:
  std::array<float, kGridSide * kGridSide> grid_{};
};

uint8_t to_byte(float value) {
  return static_cast<uint8_t>(std::clamp(value + 0.5f, 0.0f, 255.0f));
}

/// Returns how much of a pixel belongs to the round field, 0..1; `u` and `v` are in radii.
float field_share(const Camera& camera, float u, float v, float distance2) {
  const auto scale = static_cast<float>(camera.eye.radius);
  const float nx = u - camera.notch_x, ny = v - camera.notch_y;
  const float notch = 0.05f - std::sqrt(nx * nx + ny * ny);
  return std::clamp(std::max(1 - std::sqrt(distance2), notch) * scale / 3, 0.0f, 1.0f);
}

void draw_row(const Camera& camera, const Layers& layers, const Texture& texture, int64_t y,
              Random random, uint8_t* rgb) {
  constexpr std::array<float, 3> kDark = {0.45f, 0.95f, 0.8f};  // what blood takes of each colour
  constexpr std::array<float, 3> kYellow = {90, 110, 40};
  const auto scale = 1 / static_cast<float>(camera.eye.radius);
  const float v = (static_cast<float>(y) - static_cast<float>(camera.eye.y)) * scale;
  const float down = static_cast<float>(y) / static_cast<float>(layers.height);
  for (int64_t x = 0; x < layers.width; ++x) {
    const float u = (static_cast<float>(x) - static_cast<float>(camera.eye.x)) * scale;
    const float distance2 = u * u + v * v;
    const float share = field_share(camera, u, v, distance2);
    const auto i = static_cast<size_t>(y * layers.width + x);
    const float light =
        share * (1 - camera.vignette * distance2 + camera.tilt_x * u + camera.tilt_y * v +
                 texture.at(static_cast<float>(x) / static_cast<float>(layers.width), down));
    const float noise = random.bell() * (0.5f + camera.grain * share);
    for (size_t c = 0; c < 3; ++c) {
      const float colour = camera.colour[c] * light * (1 - kDark[c] * layers.dark[i]) +
                           share * (kYellow[c] * layers.yellow[i] + 200 * layers.white[i]);
      rgb[3 * x + static_cast<int64_t>(c)] = to_byte(3 + colour + noise);
    }
  }
}

std::string name_of(int64_t number) {
  return std::to_string(number / 2 + 1) + (number % 2 == 0 ? "_left" : "_right");
}

}  // namespace

RetinaPhoto draw_retina(uint64_t seed, int64_t number, int grade, int64_t width, int64_t height) {
  const uint64_t stream = mix_seeds(seed, static_cast<uint64_t>(number));
  Random random(stream);
  const Camera camera =
      draw_camera(static_cast<double>(width), static_cast<double>(height), random);
  const Fundus fundus = draw_fundus(grade, camera.glare, random);
  const Texture texture(random);
  Layers layers(width, height);
  for (const VesselPiece& piece : fundus.vessels) draw_vessel(piece, camera.eye, layers);
  for (const Spot& spot : fundus.spots) draw_spot(spot, camera.eye, layers);
  RetinaPhoto drawn{{}, camera.eye};
  drawn.photo.resize(width, height);
  for (int64_t y = 0; y < height; ++y) {
    draw_row(camera, layers, texture, y, Random(mix_seeds(stream, static_cast<uint64_t>(y), 1)),
             drawn.photo.row(y));
  }
  return drawn;
}

std::vector<uint8_t> grades_of(const RetinaSet& set) {
  std::vector<uint8_t> grades;
  if (set.grades == GradeMix::kEven) {
    for (int64_t i = set.first; i < set.first + set.images; ++i) {
      grades.push_back(static_cast<uint8_t>(i % kRetinaGrades));
    }
    return grades;
  }
  constexpr std::array<int64_t, kRetinaGrades> kCounts = {25810, 2443, 5292, 873, 708};
  const std::vector<int64_t> shares = shares_of_classes(kCounts, set.images);
  for (size_t grade = 0; grade < shares.size(); ++grade) {
    grades.insert(grades.end(), static_cast<size_t>(shares[grade]), static_cast<uint8_t>(grade));
  }
  shuffle(grades, Random(mix_seeds(set.seed, static_cast<uint64_t>(set.first), 2)));
  return grades;
}

void make_retinas(const std::filesystem::path& folder, const RetinaSet& set, int threads) {
  const std::vector<uint8_t> grades = grades_of(set);
  for_each_in_parallel(grades.size(), threads, [&] {
    return [&, writer = JpegWriter(kQuality)](size_t i) mutable {
      const int64_t number = set.first + static_cast<int64_t>(i);
      const RetinaPhoto drawn = draw_retina(set.seed, number, grades[i], set.width, set.height);
      write_bytes(folder / (name_of(number) + ".jpeg"), {writer.write(drawn.photo)});
    };
  });
  std::string labels = "image,level\n";
  for (size_t i = 0; i < grades.size(); ++i) {
    labels += name_of(set.first + static_cast<int64_t>(i)) + "," + std::to_string(grades[i]) + "\n";
  }
  write_bytes(folder / "trainLabels.csv",
              {{reinterpret_cast<const uint8_t*>(labels.data()), labels.size()}});
}

}  // namespace lapcast::workloads
