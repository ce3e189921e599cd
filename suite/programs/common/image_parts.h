#pragma once

#include <memory>
#include <utility>

#include "common/batches.h"
#include "common/options.h"
#include "common/stage.h"

namespace lapcast::workloads {

/// Converts both parts of an image set to batches on the device, with as many images as the options
/// ask for. Set must have keep_first(), and byte_images() must accept it.
template <typename Set>
DataParts image_parts(Set training, Set validation, const CommonOptions& options,
                      c10::Device device) {
  training.keep_first(options.samples);
  validation.keep_first(options.validation_samples);
  return {std::make_unique<ImageBatches>(byte_images(std::move(training)), device),
          std::make_unique<ImageBatches>(byte_images(std::move(validation)), device)};
}

/// Reads both parts with read(part) and converts them, within the stages "data-load" and
/// "pre-process". Each batch scales its own images.
template <typename Part, typename Read>
DataParts read_image_parts(Part training_part, Part validation_part, const Read& read,
                           const CommonOptions& options, c10::Device device) {
  decltype(read(training_part)) training, validation;
  {
    const Stage stage("data-load");
    training = read(training_part);
    validation = read(validation_part);
  }
  const Stage stage("pre-process");
  return image_parts(std::move(training), std::move(validation), options, device);
}

}  // namespace lapcast::workloads
