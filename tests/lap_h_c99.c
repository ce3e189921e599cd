/* Uses lap.h as strict C99 in the file of a C program that holds its state, and reports every event
 * once. The emitter's tests link this file and read the log. */
#define LAPCAST_IMPLEMENTATION
#include <lapcast/lap.h>

void report_every_event(void) {
  lapcast_plan_t plan = {0};
  plan.epochs = 2;
  plan.iterations_per_epoch = 2;
  plan.batch_size = 128;
  plan.training_samples = 200;
  plan.validation_samples = 50;
  plan.answers_requests = 1;
  lapcast_plan(plan);
  lapcast_stage_begin("data-load");
  lapcast_stage_end("data-load");
  lapcast_epoch_begin(1);
  lapcast_iteration(128);
  lapcast_metric("loss", 0.25);
  lapcast_iteration_queued(72);
  lapcast_epoch_end(1);
  lapcast_validation_begin();
  lapcast_validation_end(50);
  lapcast_checkpoint_begin();
  lapcast_checkpoint_end(1048576);
  lapcast_phase("224px");
  lapcast_flush();
  (void)lapcast_validation_wanted();
}
