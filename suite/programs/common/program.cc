#include "common/program.h"

#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <ATen/Version.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>
#include <string>
#include <string_view>

#include "common/checkpoint.h"
#include "common/describe.h"
#include "common/device.h"
#include "common/exchange.h"
#include "common/lamb.h"
#include "common/lars.h"
#include "common/memory.h"
#include "common/precision.h"
#include "common/random.h"
#include "common/replica.h"
#include "common/replicas.h"
#include "common/stage.h"
#include "common/step_record.h"
#include "common/tensor_memory.h"
#include "common/train.h"
#include "common/trainer.h"

namespace lapcast::workloads {
namespace {

std::unique_ptr<Optimizer> make_optimizer(const Recipe& recipe, const CommonOptions& options,
                                          std::vector<at::Tensor> parameters) {
  if (options.optimizer == "lars") return std::make_unique<Lars>(std::move(parameters));
  if (options.optimizer == "lamb") return std::make_unique<Lamb>(std::move(parameters));
  return recipe.optimizer(std::move(parameters));
}

/// Holds the replicas of the network and their optimizer.
struct Learner {
  Replicas replicas;
  std::unique_ptr<Optimizer> optimizer;

  Learner(const Recipe& recipe, const CommonOptions& options, std::vector<c10::Device> devices)
      : replicas(recipe.network, std::move(devices), recipe.objective, options.dtype == "bf16"),
        optimizer(make_optimizer(recipe, options, replicas.network().parameters())) {
    if (options.learning_rate > 0) optimizer->set_learning_rate(options.learning_rate);
  }

  /// Calls visit(name, tensor) for everything that a checkpoint holds: parameters, buffers and, for
  /// each parameter, the optimizer's state.
  template <typename Visit>
  void each_tensor(bool with_optimizer, Visit visit) {
    const auto parameters = replicas.network().named_parameters();
    for (const auto& parameter : parameters) visit(parameter.key(), parameter.value());
    for (const auto& buffer : replicas.network().named_buffers()) {
      visit(buffer.key(), buffer.value());
    }
    if (!with_optimizer) return;
    for (const OptimizerState& row : optimizer->state()) {
      for (size_t i = 0; i < parameters.size(); ++i) {
        visit("optimizer." + row.name + "." + parameters[i].key(), row.tensors[i]);
      }
    }
  }
};

int64_t save(Learner& learner, bool with_optimizer, const std::filesystem::path& file,
             const Progress& progress) {
  Checkpoint checkpoint{{}, progress};
  learner.each_tensor(with_optimizer, [&](const std::string& name, const at::Tensor& tensor) {
    checkpoint.tensors[name] = tensor;
  });
  return write_checkpoint(file, checkpoint);
}

/// Loads a checkpoint. The optimizer starts anew when the checkpoint does not hold its state.
Progress resume(Learner& learner, const std::filesystem::path& file) {
  const Checkpoint checkpoint = read_checkpoint(file);
  learner.each_tensor(true, [&](const std::string& name, const at::Tensor& tensor) {
    if (restore(checkpoint, name, tensor) || name.starts_with("optimizer.")) return;
    throw std::runtime_error(file.string() + ": holds no " + name);
  });
  learner.replicas.broadcast();
  return checkpoint.progress;
}

/// Loads the checkpoint that the options name, or the newest of the run's folder that is whole.
Progress earlier_progress(Learner& learner, const CommonOptions& options) {
  if (!options.resume.empty()) return resume(learner, options.resume);
  if (!options.restart) return {};
  for (const std::filesystem::path& file : checkpoints_in(options.run_dir)) {
    try {
      return resume(learner, file);
    } catch (const std::exception& error) {
      std::cerr << "skipped: " << error.what() << '\n';
    }
  }
  return {};
}

TrainPlan plan_training(const CommonOptions& options, const Recipe& recipe, const DataParts& data,
                        Progress progress, const Share& share, bool answers_requests) {
  progress.early.patience = options.patience;
  progress.plateau.patience = recipe.plateau_patience;
  TrainPlan plan;
  plan.epochs = options.epochs;
  plan.steps = options.steps;
  plan.batch = options.batch_of_all();
  plan.share = share;
  plan.answers_requests = answers_requests;
  plan.training_samples = data.training->size();
  plan.validation_samples = data.validation->size();
  plan.test_samples = data.test ? data.test->size() : 0;
  plan.counts_correct = is_classifier(recipe.objective);
  plan.evaluate = options.evaluate;
  plan.checkpoint_every = options.checkpoint_every;
  plan.keeps_best = recipe.keeps_best && !options.run_dir.empty();
  plan.run_dir = options.run_dir;
  plan.progress = progress;
  return plan;
}

/// Returns the functions that the training loop calls. All randomness of an epoch follows from the
/// seed and the epoch's number, so a resumed run computes the same as an uninterrupted one.
Trainee make_trainee(const CommonOptions& options, const Recipe& recipe, DataParts& data,
                     Learner& learner, Trainer& trainer, const Share& share) {
  const double first_rate = learner.optimizer->learning_rate();
  Trainee trainee;
  trainee.begin_epoch = [&, first_rate](int64_t epoch) {
    data.training->shuffle(options.seed, epoch);
    learner.replicas.seed_dropout(
        mix_seeds(options.seed, static_cast<uint64_t>(epoch), static_cast<uint64_t>(share.rank)));
    if (!recipe.learning_rate) return;
    learner.optimizer->set_learning_rate(recipe.learning_rate(first_rate, epoch, options.epochs));
  };
  trainee.scale_rate = [&, first_rate](double scale) {
    learner.optimizer->set_learning_rate(first_rate * scale);
  };
  // Batches are whole but for the last one, so that own samples begin at the same part of all.
  const auto own = [share](const BatchSource& source, int64_t first, int64_t count) {
    return source.take(first / share.replicas, share.of(count));
  };
  trainee.train = [&, own](int64_t first, int64_t count) {
    return trainer.train(own(*data.training, first, count), count);
  };
  trainee.take_training_score = [&] { return trainer.take_training_score(); };
  trainee.validate = [&, own](int64_t first, int64_t count) {
    return trainer.validate(own(*data.validation, first, count));
  };
  trainee.test = [&, own](int64_t first, int64_t count) {
    return trainer.validate(own(*data.test, first, count));
  };
  trainee.take_validation_score = [&] { return trainer.take_validation_score(); };
  trainee.save = [&](const std::filesystem::path& file, const Progress& progress) {
    return save(learner, options.optimizer_state, file, progress);
  };
  return trainee;
}

/// Lets the trainee go through its epochs with the other replicas.
void join(Trainee& trainee, Exchange& exchange, bool is_first) {
  trainee.settle = [&] { exchange.settle(); };
  trainee.sum = [&](const Score& own) { return exchange.sum(own); };
  trainee.validation_wanted = [&] { return exchange.validation_wanted(); };
  trainee.save = [&, is_first, save = trainee.save](const std::filesystem::path& file,
                                                    const Progress& progress) {
    const int64_t bytes = is_first ? save(file, progress) : 0;
    exchange.meet();
    return bytes;
  };
}

std::string device_text(const CommonOptions& options) {
  const std::string numbers = options.dtype == "bf16" ? ", bf16" : "";
  if (options.cuda()) {
    const int64_t gpus = std::max(options.gpus, options.replicas);
    return (gpus > 1 ? std::to_string(gpus) + " GPUs" : "cuda") + numbers;
  }
  if (options.replicas > 1) {
    return std::to_string(options.replicas) + " replicas (" + options.exchange + ") of " +
           std::to_string(options.threads) + " threads, cpu " + at::get_cpu_capability() + numbers;
  }
  return std::to_string(options.threads) + " threads, cpu " + at::get_cpu_capability() + numbers;
}

void print_start(const std::string& program, const CommonOptions& options, const TrainPlan& plan) {
  const std::string length =
      plan.steps ? std::to_string(plan.steps) + " steps" : std::to_string(plan.epochs) + " epochs";
  std::printf("%s: %lld + %lld samples, batch %lld, %s, %s\n", program.c_str(),
              static_cast<long long>(plan.training_samples),
              static_cast<long long>(plan.validation_samples), static_cast<long long>(plan.batch),
              length.c_str(), device_text(options).c_str());
  std::fflush(stdout);
}

void say_exchange(const Exchange& exchange) {
  const std::string words = exchange.describe();
  if (words.empty()) return;
  // An observer shows notes as warnings, as stale gradients deserve.
  if (exchange.is_stale()) lapcast_note(words.c_str());
  std::printf("%s\n", words.c_str());
}

void print_end(const TrainPlan& plan, const TrainResult& result) {
  const Progress& progress = result.progress;
  std::printf("%s after epoch %lld, best %s %.4f\n",
              result.stopped_early ? "stopped early" : "done",
              static_cast<long long>(progress.epochs_done),
              plan.counts_correct ? "val_accuracy" : "val_loss",
              plan.counts_correct ? progress.early.best : -progress.early.best);
}

/// Returns the devices on which this process trains.
std::vector<c10::Device> own_devices(const CommonOptions& options, const Share& share) {
  const std::vector<c10::Device> all =
      choose_devices(options.cuda(), std::max(options.gpus, options.replicas));
  if (share.replicas == 1 || !options.cuda()) return all;
  return {all[static_cast<size_t>(share.rank)]};
}

/// Keeps this replica's share of each batch.
void share_data(DataParts& data, const Share& share, int64_t batch) {
  for (BatchSource* part : {data.training.get(), data.validation.get(), data.test.get()}) {
    if (part) part->keep_share(share, batch);
  }
}

void train_program(const std::string& program, const CommonOptions& options, const Recipe& recipe,
                   const Replica& replica) {
  const Share& share = replica.share;
  const std::vector<c10::Device> devices = own_devices(options, share);
  if (options.dtype == "bf16") require_bf16(devices[0]);
  if (options.checkpoint_every || (recipe.keeps_best && !options.run_dir.empty())) {
    std::filesystem::create_directories(options.run_dir);
  }
  DataParts data = recipe.data(devices[0]);
  share_data(data, share, options.batch_of_all());

  lapcast_metric("memory_before_network", static_cast<double>(resident_bytes()));
  lapcast_stage_begin("compile");
  at::manual_seed(options.seed);
  Learner learner(recipe, options, devices);
  const Progress progress = earlier_progress(learner, options);
  std::unique_ptr<Exchange> exchange;
  if (!replica.alone()) {
    exchange =
        make_exchange(options.exchange, replica, learner.replicas.network(), *learner.optimizer);
  }
  lapcast_stage_end("compile");

  const TrainPlan plan = plan_training(options, recipe, data, progress, share,
                                       !exchange || exchange->is_synchronous());
  Trainer trainer(learner.replicas, *learner.optimizer, !options.cuda());
  trainer.warm_up(options.warm_up, progress.epochs_done * plan.iterations_per_epoch());
  Trainee trainee = make_trainee(options, recipe, data, learner, trainer, share);
  if (exchange) {
    trainer.join(*exchange);
    join(trainee, *exchange, share.rank == 0);
  }
  if (!options.write_step.empty()) {
    trainee.begin_epoch(progress.epochs_done + 1);
    const int64_t count = std::min(options.batch, data.training->size());
    write_step(options.write_step, learner.replicas.network(), *learner.optimizer, recipe.objective,
               data.training->take(0, count));
    return;
  }
  // The first replica speaks for all.
  std::ostream silent(nullptr);
  if (share.rank == 0) print_start(program, options, plan);
  const TrainResult result = train(plan, trainee, share.rank == 0 ? std::cout : silent);
  if (const int64_t bytes = most_bytes_held(devices); bytes > 0) lapcast_device_memory(bytes);
  if (share.rank != 0) return;
  print_end(plan, result);
  if (exchange) say_exchange(*exchange);
}

void describe_program(const std::string& program, const CommonOptions& options,
                      const Recipe& recipe) {
  const std::shared_ptr<Network> network = recipe.network();
  const std::unique_ptr<Optimizer> optimizer =
      make_optimizer(recipe, options, network->parameters());
  std::printf("%s\n", describe(program, options, *network, *optimizer).c_str());
}

/// Returns the first line of a message, without the stack trace that LibTorch appends.
std::string_view first_line(std::string_view text) {
  return text.substr(0, text.find('\n'));
}

/// Says why this process ends; of a replica the process says it that started all.
int fail(const std::string& program, const Replica& replica, std::string_view message, int status) {
  if (replica.alone()) {
    std::cerr << program << ": " << first_line(message) << '\n';
  } else {
    replica.keep_error(first_line(message));
  }
  return status;
}

}  // namespace

int run_program(CommandLine& line, CommonOptions& options, int argc, char** argv,
                const std::function<Recipe()>& recipe) {
  keep_freed_memory();
  place_tensors_by_first_fit();
  end_without_freeing();
  add_common_options(line, options);
  if (const int status = line.parse(argc, argv); status >= 0) return status;
  if (const int status = complete_options(line, options); status >= 0) return status;
  const std::string& program = line.program();
  Replica replica;
  try {
    replica = this_replica();
    if (replica.alone() && options.replicas > 1 && !options.describe) {
      return run_replicas(program, options.replicas, argv);
    }
    use_threads(static_cast<int>(options.threads));
    const Recipe what = recipe();
    if (options.describe) {
      describe_program(program, options, what);
    } else if (what.instead) {
      if (replica.share.rank == 0) what.instead();
    } else {
      train_program(program, options, what, replica);
    }
  } catch (const DeviceError& error) {
    return fail(program, replica, error.what(), 2);
  } catch (const c10::Error& error) {
    return fail(program, replica, error.what_without_backtrace(), 1);
  } catch (const std::exception& error) {
    return fail(program, replica, error.what(), 1);
  }
  return 0;
}

}  // namespace lapcast::workloads
