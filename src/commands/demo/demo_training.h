#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace lapcast {

/// Describes a small training that needs nothing but this binary: a network with one hidden layer
/// learns to tell made-up classes apart with Adam (Kingma, Ba 2015).
struct DemoTraining {
  std::size_t batch = 32;
  std::int64_t epochs = 6;
};

/// Takes an event of the lap log as its words: {"iteration", "32"}.
using LapReport = std::function<void(const std::vector<std::string>&)>;

/// Trains it and reports laps, as a user's program would. Returns the accuracy of the last
/// validation, 0 to 1. The same training gives the same accuracy.
double run_demo_training(const DemoTraining& training, const LapReport& report);

}  // namespace lapcast
