#pragma once

#include <string>
#include <vector>

#include "suite/driver/pictures.h"
#include "table/table.h"

namespace lapcast {

/// Returns table 3 of Carneiro 2018: for each size of pictures and each machine, the time of a
/// picture on all cores and on the GPU, and the GPU's speed-ups over the cores of its machine
/// (equation 2) and over those of `server` (3), which may be empty.
Table picture_table(const std::vector<PictureRuns>& runs, const std::string& server = {});

}  // namespace lapcast
