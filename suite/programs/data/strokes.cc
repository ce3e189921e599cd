#include "data/strokes.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

namespace lapcast::workloads {
namespace {

/// Appends an arc of an ellipse. Angles are in degrees; 0 points right and 90 points down.
void arc(Stroke& stroke, Point centre, float rx, float ry, float from, float to) {
  constexpr float kDegreesPerStep = 24;
  const int steps = std::max(2, static_cast<int>(std::abs(to - from) / kDegreesPerStep));
  for (int i = 0; i <= steps; ++i) {
    const float degrees = from + (to - from) * static_cast<float>(i) / static_cast<float>(steps);
    const float a = degrees * std::numbers::pi_v<float> / 180;
    stroke.push_back({centre.x + rx * std::cos(a), centre.y + ry * std::sin(a)});
  }
}

/// Appends a straight line in pieces that are short enough to be bent.
void line(Stroke& stroke, Point from, Point to) {
  constexpr int kPieces = 4;
  for (int i = 0; i <= kPieces; ++i) {
    const float t = static_cast<float>(i) / kPieces;
    stroke.push_back({from.x + (to.x - from.x) * t, from.y + (to.y - from.y) * t});
  }
}

Strokes zero(Random& r) {
  Stroke s;
  const float start = r.between(-130, -50);
  arc(s, {0, 0}, r.between(0.42f, 0.68f), 1, start, start + r.between(335, 375));
  return {s};
}

Strokes one(Random& r) {
  Strokes strokes(1);
  const float lean = r.between(0, 0.15f);
  line(strokes[0], {lean, -1}, {0, 1});
  if (r.chance(0.5f)) {
    strokes.emplace_back();
    line(strokes.back(), {lean, -1}, {r.between(-0.5f, -0.25f), r.between(-0.7f, -0.45f)});
  }
  if (r.chance(0.25f)) {
    strokes.emplace_back();
    line(strokes.back(), {-0.4f, 1}, {0.4f, 1});
  }
  return strokes;
}

Strokes two(Random& r) {
  Stroke s;
  const float waist = r.between(-0.55f, -0.35f);
  arc(s, {0, waist}, 0.55f, 1 + waist, r.between(-195, -160), 20);
  line(s, s.back(), {-0.55f, r.between(0.85f, 1.0f)});
  if (r.chance(0.3f)) arc(s, {-0.35f, 0.85f}, 0.2f, 0.15f, 180, 360);  // a loop at the corner
  line(s, s.back(), {r.between(0.45f, 0.65f), r.between(0.85f, 1.05f)});
  return {s};
}

Strokes three(Random& r) {
  Stroke s;
  const float waist = r.between(-0.2f, 0.05f);
  if (r.chance(0.25f)) {  // a flat top
    line(s, {-0.5f, -1}, {0.45f, -1});
    line(s, s.back(), {-0.05f, waist});
  } else {
    arc(s, {-0.05f, (waist - 1) / 2}, 0.5f, (waist + 1) / 2, r.between(-175, -140), 75);
    s.push_back({r.between(-0.2f, 0), waist});
  }
  arc(s, {-0.05f, (waist + 1) / 2}, 0.58f, (1 - waist) / 2, -80, r.between(140, 170));
  return {s};
}

Strokes four(Random& r) {
  Strokes strokes(2);
  const float bar = r.between(0.1f, 0.4f);
  const float stem = r.between(0.15f, 0.4f);
  if (r.chance(0.5f)) {  // open at the top
    line(strokes[0], {r.between(-0.55f, -0.3f), -1}, {-0.55f, bar});
    line(strokes[1], {stem, r.between(-0.9f, -0.4f)}, {stem - 0.05f, 1});
  } else {
    line(strokes[0], {stem, -1}, {-0.6f, bar});
    line(strokes[1], {stem, -1}, {stem, 1});
  }
  line(strokes[0], strokes[0].back(), {0.6f, bar + r.between(-0.1f, 0.1f)});
  return strokes;
}

Strokes five(Random& r) {
  Stroke s;
  const float waist = r.between(-0.25f, 0);
  line(s, {r.between(0.35f, 0.6f), -1}, {-0.4f, -1});
  line(s, s.back(), {r.between(-0.55f, -0.4f), waist});
  arc(s, {-0.05f, (waist + 0.85f) / 2}, 0.58f, (1.1f - waist) / 2, -140, r.between(120, 165));
  return {s};
}

Strokes six(Random& r) {
  Stroke s;
  const float middle = r.between(0.35f, 0.5f);
  const float rx = r.between(0.45f, 0.6f);
  arc(s, {r.between(0.3f, 0.55f), middle}, rx + 0.35f, 1 + middle, -95, -170);
  arc(s, {0, middle}, rx, 1 - middle, -180, -180 - r.between(320, 370));
  return {s};
}

Strokes seven(Random& r) {
  Strokes strokes(1);
  line(strokes[0], {-0.55f, r.between(-1.0f, -0.9f)}, {0.55f, -1});
  line(strokes[0], strokes[0].back(), {r.between(-0.25f, 0.1f), 1});
  if (r.chance(0.3f)) {
    strokes.emplace_back();
    line(strokes.back(), {-0.25f, 0}, {0.45f, r.between(-0.1f, 0.1f)});
  }
  return strokes;
}

Strokes eight(Random& r) {
  Strokes strokes(2);
  const float waist = r.between(-0.2f, 0.05f);
  arc(strokes[0], {0, (waist - 1) / 2}, r.between(0.35f, 0.5f), (waist + 1) / 2, 90, 450);
  arc(strokes[1], {0, (waist + 1) / 2}, r.between(0.45f, 0.6f), (1 - waist) / 2, -90, 270);
  return strokes;
}

Strokes nine(Random& r) {
  Strokes strokes(2);
  const float middle = r.between(-0.55f, -0.4f);
  const float rx = r.between(0.4f, 0.55f);
  arc(strokes[0], {0, middle}, rx, 1 + middle, -20, -20 - r.between(330, 370));
  if (r.chance(0.5f)) {
    line(strokes[1], {rx, middle - 0.2f}, {r.between(0, rx), 1});
  } else {
    arc(strokes[1], {rx - 0.75f, middle}, 0.75f, 1 - middle, -10, r.between(70, 110));
  }
  return strokes;
}

}  // namespace

Strokes digit_strokes(int digit, Random& random) {
  using Writer = Strokes (*)(Random&);
  static constexpr Writer kWriters[] = {zero, one, two, three, four, five, six, seven, eight, nine};
  if (digit < 0 || digit > 9) throw std::out_of_range("no digit: " + std::to_string(digit));
  return kWriters[digit](random);
}

}  // namespace lapcast::workloads
