#pragma once

#include <string>
#include <vector>

#include "run/run.h"

namespace lapcast {

/// Names a library that a program computed with.
struct Library {
  std::string name;     // "torch", "cudnn"
  std::string version;  // "2.11.0+cu130"
  friend bool operator==(const Library&, const Library&) = default;
};

/// Returns the libraries that the lap logs of a run name, each name once; its first version counts.
std::vector<Library> libraries_of(const Run& run);

/// Returns "torch 2.11.0+cu130, cudnn 9.19.0"; empty where none is known.
std::string libraries_text(const Run& run);

}  // namespace lapcast
