#pragma once

namespace lapcast {

/// Returns "lapcast 0.1.0 (f4755e3a1b, Release)": the version, the commit and the kind of build.
const char* build_version();

}  // namespace lapcast
