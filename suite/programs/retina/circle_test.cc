#include "retina/circle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "common/random.h"
#include "data/jpeg.h"
#include "retina/drawing.h"

namespace lapcast::workloads {
namespace {

std::string refusal(const Picture& photo) {
  try {
    find_eye(photo);
  } catch (const PictureError& error) {
    return error.what();
  }
  return "";
}

template <typename Colour>
Picture painted(int64_t width, int64_t height, Colour colour) {
  Picture photo;
  photo.resize(width, height);
  for (int64_t y = 0; y < height; ++y) {
    for (int64_t x = 0; x < width; ++x) {
      for (int64_t c = 0; c < 3; ++c) {
        photo.row(y)[3 * x + c] = static_cast<uint8_t>(colour(x, y, c));
      }
    }
  }
  return photo;
}

/// Compares with the circle that the drawing was made with: cut by the border, notches, glare.
TEST(FindEye, FindsTheDrawnCircleWithinAHundredth) {
  for (int64_t i = 0; i < 40; ++i) {
    const RetinaPhoto drawn = draw_retina(3, i, static_cast<int>(i % 5), 480, 320);
    const EyeCircle found = find_eye(drawn.photo);
    const double tolerance = std::max(1.5, 0.01 * drawn.eye.radius);
    EXPECT_NEAR(found.x, drawn.eye.x, tolerance) << i;
    EXPECT_NEAR(found.y, drawn.eye.y, tolerance) << i;
    EXPECT_NEAR(found.radius, drawn.eye.radius, tolerance) << i;
  }
}

TEST(FindEye, RefusesPicturesThatAreNoRetina) {
  EXPECT_EQ(refusal(painted(100, 100, [](auto, auto, auto) { return 128; })),
            "no retina: the picture has almost the same brightness everywhere");
  EXPECT_EQ(refusal(painted(100, 80, [](int64_t x, auto, auto) { return x * 2; })).substr(0, 9),
            "no retina");
  Random random(1);
  EXPECT_EQ(refusal(painted(200, 100, [&](auto, auto, auto) { return random.bits() & 255; }))
                .substr(0, 9),
            "no retina");
  const auto bar = [](int64_t x, int64_t y, int64_t c) {
    return x > 40 && x < 160 && y > 20 && y < 120 && c == 0 ? 200 : 0;
  };
  EXPECT_NE(refusal(painted(200, 140, bar)).find("of the rim lies on one circle"),
            std::string::npos);
  const auto planet = [](int64_t x, int64_t y, int64_t c) {
    return (x - 80) * (x - 80) + (y - 70) * (y - 70) < 3600 ? 60 * (c + 1) : 0;
  };
  EXPECT_EQ(refusal(painted(160, 140, planet)), "no retina: the disc is more blue than red");
  EXPECT_EQ(refusal(painted(4, 4, [](auto, auto, auto) { return 9; })),
            "no retina: the picture is smaller than 16 pixels");
}

}  // namespace
}  // namespace lapcast::workloads
