#pragma once

#include <string>
#include <vector>

#include "shortlist/judged.h"

namespace lapcast::shortlist {

/// Returns forecasts of the time of a sample of timm's networks on a GPU in inference, from their
/// multiply-adds and activations alone: quadratic in both logarithms, fitted to the families of the
/// other five of six parts. `device` and `torch` name the rows as the set does.
std::vector<Judged> judge_counted(const std::string& folder, const std::string& device,
                                  const std::string& torch);

}  // namespace lapcast::shortlist
