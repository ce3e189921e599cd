// seismic-fcn trains a fully convolutional LeNet to find diffraction apexes in seismic patches.
//
// [M] Malta, "Selecting Efficient Virtual Machines for Training Deep Learning Models on the Cloud"
//     (thesis, Unicamp, 2021), section 4.1 and tables 4.3 and 5.1.
#include "models/seismic_fcn.h"

#include "common/image_parts.h"
#include "common/program.h"
#include "common/schedule.h"
#include "common/sgd.h"
#include "data/seismic.h"

namespace {

using namespace lapcast::workloads;

/// Returns the default number of epochs: table 5.1 lists it for batches of 256, 512, 1024 and 2048.
int64_t epochs_for(int64_t batch) {
  return batch <= 256 ? 13 : batch <= 1024 ? 14 : 16;
}

DataParts read_parts(const CommonOptions& options, c10::Device device) {
  const auto read = [&](SeismicPart part) { return read_seismic(options.data, part); };
  return read_image_parts(SeismicPart::kTraining, SeismicPart::kValidation, read, options, device);
}

}  // namespace

int main(int argc, char** argv) {
  CommandLine line(
      "seismic-fcn",
      "Trains a fully convolutional LeNet to tell seismic patches with a diffraction's "
      "apex at their centre from others.",
      "  make-seismic --out seismic && seismic-fcn --data seismic\n"
      "  seismic-fcn --data seismic --batch 1024 --patience 0\n");
  CommonOptions options;
  options.batch = 256;
  options.patience = 5;
  return run_program(line, options, argc, argv, [&] {
    if (!options.epochs) options.epochs = epochs_for(options.batch_of_all());
    Recipe recipe;
    recipe.network = [] { return std::make_shared<SeismicFcn>(0.5); };
    recipe.optimizer = [](std::vector<at::Tensor> parameters) {
      return std::make_unique<Sgd>(std::move(parameters), SgdOptions{0.1, 0.9});
    };
    recipe.data = [&](c10::Device device) { return read_parts(options, device); };
    recipe.learning_rate = [](double first, int64_t epoch, int64_t epochs) {
      return falling_rate(first, 0.1, epoch, epochs);
    };
    return recipe;
  });
}
