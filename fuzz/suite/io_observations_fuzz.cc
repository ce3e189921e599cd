#include "data/io_observations.h"

#include <cmath>

#include "bytes_as_file.h"
#include "data/yeo_johnson.h"

using namespace lapcast::workloads;

/// Checks that a CSV file of any bytes is refused with a FileError, or is read and can be
/// normalised.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const BytesAsFile file(data, size);
  try {
    const IoObservations all = read_io_observations(file.path());
    if (all.count() == 0) std::abort();
    const ColumnTransform transform = fit_column(all.column(0));
    if (!std::isfinite(transform(all.features[0]))) std::abort();
  } catch (const FileError&) {
  }
  return 0;
}
