#include "embryo/drawing.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numbers>
#include <string>

#include "common/parallel.h"
#include "data/png.h"
#include "embryo/rotations.h"

namespace lapcast::workloads {
namespace {

constexpr float kPi = std::numbers::pi_v<float>;
constexpr float kMiddle = (kFrameSide - 1) / 2.0f;
/// Halves a cell's volume: it divides the radius by the cube root of 2.
constexpr float kHalf = 0.7937f;
constexpr float kQuarter = 0.62996f;
/// Names the random stream of the embryo itself; the streams of its frames are not negative.
constexpr uint64_t kOwnStream = ~uint64_t{0};

/// Rises smoothly from 0 at -1 to 1 at 0 and falls to 0 at 1.
float bump(float t) {
  const float rest = std::max(0.0f, 1 - t * t);
  return rest * rest;
}

float angle_in(Random& random) {
  return random.between(0, 2 * kPi);
}

}  // namespace

EmbryoDrawing::EmbryoDrawing(uint64_t seed, int embryo)
    : stream_(mix_seeds(seed, static_cast<uint64_t>(embryo))) {
  Random random(mix_seeds(stream_, kOwnStream));
  x_ = kMiddle + 5 * random.bell();
  y_ = kMiddle + 5 * random.bell();
  volume_radius_ = random.between(78, 96);
  edge_ = random.between(5, 8);
  relief_ = random.between(40, 70);
  darkness_ = random.between(5, 25);
  body_ = random.between(-10, 10);
  slope_ = {random.between(-0.06f, 0.06f), random.between(-0.06f, 0.06f)};
  light_ = random.between(105, 150);
  vignette_ = random.between(0, 30);
  grain_ = random.between(1.5f, 4);
  texture_ = random.between(1, 4);
  drift_ = random.between(-0.04f, 0.04f);
  phase_ = angle_in(random);
  for (float& b : bumps_) b = random.bell();
  for (int n = 1; n <= kCellClasses; ++n)
    cells_[static_cast<size_t>(n - 1)] = draw_cells(random, n);
  add_surroundings(random);
  add_neighbours(random);
}

EmbryoDrawing::Disc EmbryoDrawing::random_cell(Random& random, float radius, float distance,
                                               float angle) const {
  const float r = radius * random.between(0.94f, 1.06f);
  return {distance * std::cos(angle),
          distance * std::sin(angle),
          r,
          edge_ * random.between(0.8f, 1.2f),
          relief_ * random.between(0.8f, 1.2f),
          darkness_ * random.between(0.7f, 1.3f),
          body_ * random.between(0.5f, 1.5f)};
}

/// Returns one cell, two halves, one half and two quarters, or four quarters. Four cells lie around
/// the middle, or three of them lie around one behind.
std::vector<EmbryoDrawing::Disc> EmbryoDrawing::draw_cells(Random& random, int cells) const {
  const float turn = angle_in(random);
  const float half = kHalf * volume_radius_, quarter = kQuarter * volume_radius_;
  const auto place = [&](float radius, float reach, float degrees) {
    const float angle = turn + (degrees + 7 * random.bell()) * kPi / 180;
    return random_cell(random, radius, reach * radius * random.between(0.9f, 1.1f), angle);
  };
  if (cells == 1) return {place(volume_radius_, 0.06f, 0)};
  if (cells == 2) return {place(half, 0.8f, 0), place(half, 0.8f, 180)};
  if (cells == 3) {
    return {place(half, 0.75f, 0), place(quarter, 1.1f, 135), place(quarter, 1.1f, 225)};
  }
  if (random.chance(0.15f)) {
    return {place(quarter, 1.2f, 0), place(quarter, 1.2f, 120), place(quarter, 1.2f, 240),
            place(quarter, 0.2f, 60)};
  }
  return {place(quarter, 1.25f, 0), place(quarter, 1.25f, 90), place(quarter, 1.25f, 180),
          place(quarter, 1.25f, 270)};
}

/// Adds the outer membrane, often a polar body, and specks of debris.
void EmbryoDrawing::add_surroundings(Random& random) {
  const float outer = volume_radius_ * random.between(1.38f, 1.52f);
  Disc membrane = random_cell(random, outer, 0, 0);
  membrane.body = 0;
  membrane.relief *= 0.6f;
  surroundings_.push_back(membrane);
  for (uint32_t i = random.below(2); i > 0; --i) {
    surroundings_.push_back(random_cell(random, random.between(10, 18),
                                        outer - random.between(18, 32), angle_in(random)));
  }
  for (uint32_t i = random.below(5); i > 0; --i) {
    surroundings_.push_back(
        random_cell(random, random.between(2, 9), random.between(20, 230), angle_in(random)));
  }
}

void EmbryoDrawing::add_neighbours(Random& random) {
  for (uint32_t i = random.below(4); i > 0; --i) {
    const float angle = angle_in(random), distance = random.between(290, 350);
    const float radius = random.between(110, 135);
    surroundings_.push_back(random_cell(random, radius, distance, angle));
    surroundings_.push_back(random_cell(random, kQuarter * radius, distance - 20, angle));
  }
}

/// Adds a disc; its origin is at (x, y) of the image.
void EmbryoDrawing::ink(Canvas& canvas, const Disc& disc, float x, float y) const {
  const float cx = x + disc.x, cy = y + disc.y, reach = disc.radius + disc.edge;
  const int top = std::max(0, static_cast<int>(cy - reach));
  const int bottom = std::min(kFrameSide - 1, static_cast<int>(cy + reach) + 1);
  const int left = std::max(0, static_cast<int>(cx - reach));
  const int right = std::min(kFrameSide - 1, static_cast<int>(cx + reach) + 1);
  for (int row = top; row <= bottom; ++row) {
    for (int column = left; column <= right; ++column) {
      const float dx = static_cast<float>(column) - cx, dy = static_cast<float>(row) - cy;
      const float distance = std::sqrt(dx * dx + dy * dy) + 1e-6f;
      const float out = (distance - disc.radius) / disc.edge;
      const float ring = bump(out);
      const float inside = std::clamp(-out, 0.0f, 1.0f);
      canvas[static_cast<size_t>(row * kFrameSide + column)] +=
          ring * (-disc.relief * dy / distance - disc.darkness) + inside * disc.body;
    }
  }
}

void EmbryoDrawing::add_light(Canvas& canvas) const {
  for (int row = 0; row < kFrameSide; ++row) {
    for (int column = 0; column < kFrameSide; ++column) {
      const float dx = static_cast<float>(column) - kMiddle, dy = static_cast<float>(row) - kMiddle;
      canvas[static_cast<size_t>(row * kFrameSide + column)] +=
          light_ + slope_[0] * dx + slope_[1] * dy -
          vignette_ * (dx * dx + dy * dy) / (kMiddle * kMiddle);
    }
  }
}

/// Adds soft grains inside the embryo, which move with it.
void EmbryoDrawing::add_texture(Canvas& canvas, float x, float y) const {
  constexpr float kGrainSide = 4.5f;  // pixels
  const float radius = 1.3f * volume_radius_;
  for (int row = 0; row < kFrameSide; ++row) {
    for (int column = 0; column < kFrameSide; ++column) {
      const float dx = static_cast<float>(column) - x, dy = static_cast<float>(row) - y;
      if (dx * dx + dy * dy > radius * radius) continue;
      const float u = dx / kGrainSide + kGrid / 2, v = dy / kGrainSide + kGrid / 2;
      const auto i = static_cast<size_t>(u), j = static_cast<size_t>(v);
      const float a = u - static_cast<float>(i), b = v - static_cast<float>(j);
      const float* grid = bumps_.data() + j * kGrid + i;
      canvas[static_cast<size_t>(row * kFrameSide + column)] +=
          texture_ * ((1 - b) * ((1 - a) * grid[0] + a * grid[1]) +
                      b * ((1 - a) * grid[kGrid] + a * grid[kGrid + 1]));
    }
  }
}

/// Moves a cell: all cells rotate together, and each one breathes and wanders a little.
EmbryoDrawing::Disc EmbryoDrawing::moved(Disc cell, float time) const {
  const float own = 0.1f * cell.x + 0.07f * cell.y + phase_;
  const float turn = drift_ * time + 0.08f * std::sin(0.35f * time + own);
  const float reach = 1 + 0.06f * std::sin(0.5f * time + 2 * own);
  const float c = reach * std::cos(turn), s = reach * std::sin(turn);
  const float x = cell.x;
  cell.radius *= 1 + 0.03f * std::sin(0.4f * time + 3 * own);
  cell.x = c * x - s * cell.y;
  cell.y = s * x + c * cell.y;
  return cell;
}

void EmbryoDrawing::draw(int frame, int cells, std::span<uint8_t, kFramePixels> pixels) const {
  const auto time = static_cast<float>(frame);
  const float x = x_ + 3 * std::sin(0.05f * time + phase_);
  const float y = y_ + 3 * std::cos(0.04f * time + phase_);
  Canvas canvas(kFramePixels);
  add_light(canvas);
  add_texture(canvas, x, y);
  for (const Disc& disc : surroundings_) ink(canvas, disc, x, y);
  for (const Disc& cell : cells_[static_cast<size_t>(cells - 1)]) {
    ink(canvas, moved(cell, time), x, y);
  }
  Random random(mix_seeds(stream_, static_cast<uint64_t>(frame)));
  for (size_t i = 0; i < canvas.size(); ++i) {
    const float value = std::clamp(canvas[i] + grain_ * random.bell(), 0.0f, 255.0f);
    pixels[i] = static_cast<uint8_t>(value + 0.5f);
  }
}

StageLengths stage_lengths(const EmbryoSetSize& size, uint64_t seed, int embryo) {
  const auto share = [&](int64_t of_all) {
    return of_all * (embryo + 1) / size.embryos - of_all * embryo / size.embryos;
  };
  const int64_t three = share(size.three_cells);
  const int64_t others = share(size.frames) - three;
  Random random(mix_seeds(seed, static_cast<uint64_t>(embryo), kOwnStream));
  const auto about_a_third = [&] {
    return std::lround(static_cast<float>(others) / 3 * random.between(0.85f, 1.15f));
  };
  const int64_t one = about_a_third(), two = about_a_third();
  return {one, two, three, others - one - two};
}

namespace {

void draw_embryos(const std::filesystem::path& folder, const std::vector<EmbryoFrames>& embryos,
                  uint64_t seed, int threads) {
  std::string labels = "image,cells\n";
  for (const EmbryoFrames& one : embryos) {
    int frame = 0;
    for (size_t stage = 0; stage < kCellClasses; ++stage) {
      for (int64_t i = 0; i < one.lengths[stage]; ++i) {
        labels += text_of({one.embryo, frame++}) + "," + std::to_string(stage + 1) + "\n";
      }
    }
  }
  for_each_in_parallel(embryos.size(), threads, [&] {
    return [&, pixels = std::vector<uint8_t>(kFramePixels)](size_t place) mutable {
      const EmbryoFrames& one = embryos[place];
      const EmbryoDrawing drawing(seed, one.embryo);
      int frame = 0;
      for (int cells = 1; cells <= kCellClasses; ++cells) {
        for (int64_t i = 0; i < one.lengths[static_cast<size_t>(cells - 1)]; ++i, ++frame) {
          drawing.draw(frame, cells, std::span<uint8_t, kFramePixels>(pixels));
          write_png(folder / (text_of({one.embryo, frame}) + ".png"), {kFrameSide, kFrameSide},
                    pixels);
        }
      }
    };
  });
  const std::filesystem::path file = folder / "labels.csv";
  std::ofstream out(file, std::ios::binary);
  out << labels << std::flush;
  if (!out) throw FileError(file.string() + ": cannot be written");
}

}  // namespace

void make_embryos(const std::filesystem::path& folder, const EmbryoSetSize& size, uint64_t seed,
                  int threads) {
  std::vector<EmbryoFrames> embryos;
  for (int embryo = 0; embryo < size.embryos; ++embryo) {
    embryos.push_back({embryo, stage_lengths(size, seed, embryo)});
  }
  draw_embryos(folder, embryos, seed, threads);
}

std::vector<EmbryoFrames> frames_for(const PatchCounts& patches) {
  constexpr int64_t kPatchesOfFour = kCellClasses * kRotations;
  std::vector<EmbryoFrames> embryos;
  const auto add_part = [&](int64_t count, int64_t most, auto number_of) {
    const int64_t each = (count + kPatchesOfFour - 1) / kPatchesOfFour;  // frames of each stage
    const int64_t all = std::min(most, each);
    for (int64_t i = 0; i < all; ++i) {
      StageLengths lengths;
      lengths.fill(each * (i + 1) / all - each * i / all);
      embryos.push_back({static_cast<int>(number_of(i)), lengths});
    }
  };
  add_part(patches.training, 80, [](int64_t i) { return i / (kTestModulo - 1) + i + 1; });
  add_part(patches.test, 20, [](int64_t i) { return i * kTestModulo; });
  return embryos;
}

void make_embryo_patches(const std::filesystem::path& folder, const PatchCounts& patches,
                         uint64_t seed, int threads) {
  draw_embryos(folder, frames_for(patches), seed, threads);
  write_patch_counts(folder, patches);
}

}  // namespace lapcast::workloads
