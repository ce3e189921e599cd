#pragma once

#include <string_view>

namespace lapcast {

/// Returns the bytes of the program that helpers/cuda_load.c was built into.
std::string_view cuda_program();

}  // namespace lapcast
