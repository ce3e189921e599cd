#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace lapcast {

/// One record of a TensorBoard event file (tensorflow.Event), as far as it is of use. Views into
/// the record.
struct SummaryEvent {
  struct Scalar {
    std::string_view tag;
    double value = 0;
  };
  double wall_time = 0;  // seconds since 1970
  std::int64_t step = 0;
  std::vector<Scalar> scalars;
};

/// Scalars are simple_value (TensorFlow 1, PyTorch's SummaryWriter) and tensors of one float or
/// double (TensorFlow 2). Nothing when the record is no such message.
std::optional<SummaryEvent> parse_summary_event(std::string_view record);

}  // namespace lapcast
