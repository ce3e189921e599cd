#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "data/picture.h"
#include "retina/circle.h"

namespace lapcast::workloads {

/// Draws photographs of synthetic eyes: a round field with optic disc, macula, vessels and lesions
/// before a black background. As in the Kaggle set of EyePACS, some fields are cut by the picture's
/// upper and lower border, some have a notch or reflections, and colours and light vary.

struct RetinaPhoto {
  Picture photo;
  EyeCircle eye;
};

/// Draws one photograph. It depends on the seed, the number, the grade (0 to 4) and the size alone.
RetinaPhoto draw_retina(uint64_t seed, int64_t number, int grade, int64_t width, int64_t height);

enum class GradeMix {
  kKaggle,  ///< as in the Kaggle training set: 25,810, 2,443, 5,292, 873 and 708 of 35,126
  kEven,    ///< all grades alike
};

struct RetinaSet {
  int64_t images = 0;
  uint64_t seed = 1;
  int64_t width = 3000;
  int64_t height = 2000;
  GradeMix grades = GradeMix::kKaggle;
  int64_t first = 0;  ///< number of the first image; parts of one set have images of their own
};

/// Returns the grades of the images of a set: as many of each as its mix says, and at least one
/// where the set has five images or more.
std::vector<uint8_t> grades_of(const RetinaSet& set);

/// Writes NUMBER_left.jpeg and NUMBER_right.jpeg, numbered from 1 on (or from the first image on),
/// and trainLabels.csv with the columns image and level into a folder. The files do not depend on
/// `threads`. Throws FileError.
void make_retinas(const std::filesystem::path& folder, const RetinaSet& set, int threads);

}  // namespace lapcast::workloads
