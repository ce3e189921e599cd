#include "common/io_table.h"

#include <array>

#include "data/yeo_johnson.h"

namespace lapcast::workloads {
namespace {

using Transforms = std::array<ColumnTransform, kIoFeatures>;

Table transformed(const IoObservations& observations, const Transforms& transforms) {
  Table table{kIoFeatures, {}, observations.patterns};
  table.values.reserve(observations.features.size());
  for (size_t i = 0; i < observations.features.size(); ++i) {
    const ColumnTransform& transform = transforms[i % kIoFeatures];
    table.values.push_back(static_cast<float>(transform(observations.features[i])));
  }
  return table;
}

}  // namespace

IoTables normalised(const IoParts& parts) {
  Transforms transforms;
  for (int64_t feature = 0; feature < kIoFeatures; ++feature) {
    transforms[static_cast<size_t>(feature)] = fit_column(parts.training.column(feature));
  }
  return {transformed(parts.training, transforms), transformed(parts.test, transforms)};
}

}  // namespace lapcast::workloads
