#include "retina/anatomy.h"

#include <array>
#include <cmath>
#include <numbers>

namespace lapcast::workloads {
namespace {

constexpr float kPi = std::numbers::pi_v<float>;
constexpr float kStep = 0.03f;        // length of a vessel's piece
constexpr float kThinnest = 0.0022f;  // radius of a vessel
constexpr size_t kMostVesselPieces = 6000;

/// Is the growing end of a vessel.
struct VesselTip {
  float x = 0, y = 0;
  float angle = 0;
  float bend = 0;  // radians per unit of length
  float radius = 0;
  float darkness = 0;
};

void grow_vessel(VesselTip tip, Random& random, std::vector<VesselPiece>& pieces) {
  while (tip.radius > kThinnest && tip.x * tip.x + tip.y * tip.y < 1.1f) {
    if (pieces.size() >= kMostVesselPieces) return;
    tip.angle += kStep * tip.bend + 0.09f * random.bell();
    const float x = tip.x + kStep * std::cos(tip.angle), y = tip.y + kStep * std::sin(tip.angle);
    pieces.push_back({tip.x, tip.y, x, y, tip.radius, tip.darkness});
    tip.x = x;
    tip.y = y;
    tip.radius *= 0.982f;
    if (!random.chance(0.09f)) continue;
    VesselTip branch = tip;
    branch.angle += (random.chance(0.5f) ? 1.0f : -1.0f) * random.between(0.4f, 0.9f);
    branch.bend = random.between(-0.8f, 0.8f);
    branch.radius *= random.between(0.5f, 0.75f);
    grow_vessel(branch, random, pieces);
    tip.radius *= 0.93f;
  }
}

/// Draws one eye; `side` is 1 when the optic disc is on the right, else -1.
class FundusMaker {
 public:
  explicit FundusMaker(Random& random) : random_(random) {
    side_ = random.chance(0.5f) ? 1.0f : -1.0f;
    disc_x_ = side_ * random.between(0.38f, 0.52f);
    disc_y_ = random.between(-0.08f, 0.08f);
  }

  void add_anatomy() {
    add({disc_x_, disc_y_, 0.12f, 0.14f, 0, 0.25f, 0, 0.75f, 0.15f});
    add({disc_x_, disc_y_, 0.06f, 0.07f, 0, 0.5f, 0, 0.2f, 0.25f});
    add({disc_x_ - side_ * 0.62f, disc_y_ + 0.06f, 0.2f, 0.2f, 0, 1, 0.4f, 0, 0});
    constexpr std::array<float, 4> kStarts = {1.95f, -1.95f, 0.9f, -0.9f};  // from the nasal side
    constexpr std::array<float, 4> kBends = {1.15f, -1.15f, -0.3f, 0.3f};
    for (size_t i = 0; i < kStarts.size(); ++i) {
      for (const bool vein : {true, false}) {
        VesselTip tip{disc_x_, disc_y_};
        const float start = kStarts[i] + 0.12f * random_.bell() + (vein ? 0.12f : -0.12f);
        tip.angle = side_ > 0 ? start : kPi - start;
        tip.bend = side_ * kBends[i] * random_.between(0.8f, 1.2f);
        tip.radius = (vein ? 0.016f : 0.012f) * random_.between(0.85f, 1.15f);
        tip.darkness = vein ? 0.62f : 0.45f;
        grow_vessel(tip, random_, fundus_.vessels);
      }
    }
  }

  void add_lesions(int grade) {
    constexpr std::array<uint32_t, kRetinaGrades> kAneurysms = {0, 6, 14, 30, 24};
    constexpr std::array<uint32_t, kRetinaGrades> kBleedings = {0, 0, 6, 24, 16};
    constexpr std::array<uint32_t, kRetinaGrades> kExudates = {0, 0, 10, 22, 16};
    constexpr std::array<uint32_t, kRetinaGrades> kCottonWool = {0, 0, 0, 6, 4};
    const auto g = static_cast<size_t>(grade);
    scatter(kAneurysms[g], {0, 0, 0.012f, 0.012f, 0, 0.5f, 0.6f, 0, 0}, 0.2f);
    scatter(kBleedings[g], {0, 0, 0.035f, 0.022f, 0, 0.4f, 0.7f, 0, 0}, 0.5f);
    scatter(kExudates[g], {0, 0, 0.016f, 0.012f, 0, 0.4f, 0, 0.55f, 0.1f}, 0.5f);
    scatter(kCottonWool[g], {0, 0, 0.055f, 0.04f, 0, 0.9f, 0, 0.15f, 0.35f}, 0.3f);
    if (grade == kRetinaGrades - 1) add_proliferation();
  }

  void add_glare() {
    const float angle = random_.between(0, 2 * kPi);
    const float x = 0.86f * std::cos(angle), y = 0.86f * std::sin(angle);
    add({x, y, 0.12f, 0.4f, angle, 1, 0, 0.05f, random_.between(0.2f, 0.5f)});
    add({random_.between(-0.4f, 0.4f), random_.between(-0.4f, 0.4f), 0.05f, 0.04f, angle, 1, 0, 0,
         random_.between(0.1f, 0.3f)});
  }

  Fundus take() { return std::move(fundus_); }

 private:
  void add(const Spot& spot) { fundus_.spots.push_back(spot); }

  /// Adds about `count` spots like `model`, whose sizes vary by `variation`, not on the optic disc.
  void scatter(uint32_t count, const Spot& model, float variation) {
    if (count == 0) return;
    for (uint32_t i = count - count / 4 + random_.below(count / 2 + 1); i > 0; --i) {
      Spot spot = model;
      do {
        const float distance = 0.88f * std::sqrt(random_.unit());
        const float angle = random_.between(0, 2 * kPi);
        spot.x = distance * std::cos(angle);
        spot.y = distance * std::sin(angle);
      } while (std::hypot(spot.x - disc_x_, spot.y - disc_y_) < 0.2f);
      const float factor = random_.between(1 - variation, 1 + variation);
      spot.radius_x *= factor;
      spot.radius_y *= factor;
      spot.turn = random_.between(0, kPi);
      add(spot);
    }
  }

  /// Adds tangles of new vessels and a bleeding in front of the retina with a level upper edge.
  void add_proliferation() {
    for (int tangle = 0; tangle < 3; ++tangle) {
      const float x = disc_x_ * random_.between(-0.8f, 1), y = random_.between(-0.5f, 0.5f);
      for (int i = 0; i < 9; ++i) {
        grow_vessel({x, y, random_.between(0, 2 * kPi), random_.between(-9, 9), 0.0045f, 0.6f},
                    random_, fundus_.vessels);
      }
    }
    const float x = random_.between(-0.5f, 0.5f), y = random_.between(0.2f, 0.55f);
    add({x, y, random_.between(0.16f, 0.28f), random_.between(0.09f, 0.15f), 0, 0.2f, 0.8f, 0, 0});
  }

  Random& random_;
  float side_ = 1;
  float disc_x_ = 0, disc_y_ = 0;
  Fundus fundus_;
};

}  // namespace

Fundus draw_fundus(int grade, bool glare, Random& random) {
  FundusMaker maker(random);
  maker.add_anatomy();
  maker.add_lesions(grade);
  if (glare) maker.add_glare();
  return maker.take();
}

}  // namespace lapcast::workloads
