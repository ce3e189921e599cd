#pragma once

#include <string_view>

#include "run/run.h"

namespace lapcast {

inline constexpr std::string_view kRunFormat = "lapcast-run";
inline constexpr int kRunVersion = 1;

// The keys of a run in JSON, once for both directions: an archive is called with each key and
// member, in the order of the export. `required` ones must be there on reading; the others are
// left as they are when missing, which means "not known". R is `Run` or `const Run` and so on.

template <class Archive, class T>
void machine_type_fields(Archive& archive, T& type) {
  archive.required("name", type.name);
  archive("cpus", type.cpus);
  archive("cpu_quota", type.cpu_quota);
  archive("environment", type.environment);
}

template <class Archive, class P>
void plan_fields(Archive& archive, P& plan) {
  archive("epochs", plan.epochs);
  archive("steps", plan.steps);
  archive("training_samples", plan.training_samples);
  archive("validation_samples", plan.validation_samples);
  archive("validate_every", plan.validate_every);
  archive("validate_from", plan.validate_from);
}

template <class Archive, class U>
void usage_fields(Archive& archive, U& usage) {
  archive("user_s", usage.user);
  archive("system_s", usage.system);
  archive("peak_rss_bytes", usage.peak_rss_bytes);
  archive("minor_faults", usage.minor_faults);
}

template <class Archive, class A>
void accelerator_fields(Archive& archive, A& accelerator) {
  archive("vendor", accelerator.vendor);
  archive("model", accelerator.model);
  archive("driver", accelerator.driver);
  archive("memory_bytes", accelerator.memory_bytes);
  archive("cores", accelerator.cores);
}

template <class Archive, class M>
void machine_fields(Archive& archive, M& machine) {
  archive("host", machine.host);
  archive("os", machine.os);
  archive("cpu_model", machine.cpu_model);
  archive("architecture", machine.architecture);
  archive("isa", machine.isa);
  archive("hypervisor", machine.hypervisor);
  archive("sockets", machine.sockets);
  archive("cores", machine.cores);
  archive("threads", machine.threads);
  archive("allowed_cpus", machine.allowed_cpus);
  archive("max_clock_ghz", machine.max_clock_ghz);
  archive("l3_cache_bytes", machine.l3_cache_bytes);
  archive("memory_bytes", machine.memory_bytes);
  archive("available_memory_bytes", machine.available_memory_bytes);
  archive("cgroup_version", machine.cgroup_version);
  archive("quota_settable", machine.quota_settable);
  archive("cpu_limit", machine.cpu_limit);
  archive("memory_limit_bytes", machine.memory_limit_bytes);
  archive("accelerators", machine.accelerators);
  archive("missing", machine.missing);
}

template <class Archive, class O>
void owned_fields(Archive& archive, O& owned) {
  archive.required("purchase_usd", owned.purchase);
  archive.required("years", owned.years);
  archive("utilisation", owned.utilisation);
  archive("power_kw", owned.power_kw);
  archive("usd_per_kwh", owned.price_per_kwh);
  archive("running_cost_usd_per_year", owned.running_cost_per_year);
}

template <class Archive, class O>
void offer_fields(Archive& archive, O& offer) {
  archive("name", offer.name);
  archive("provider", offer.provider);
  archive("service", offer.service);
  archive("machine_type", offer.machine_type);
  archive("region", offer.region);
  archive("accelerator", offer.accelerator);
  archive("accelerator_count", offer.accelerator_count);
  archive.required("usd_per_hour", offer.price.per_hour);
  archive("terms", offer.terms);
  archive("billing_step_ns", offer.billing.step_ns);
  archive("billing_minimum_ns", offer.billing.minimum_ns);
  archive("boot_ns", offer.boot_ns);
  archive.required("as_of", offer.as_of);
  archive.required("source", offer.source);
}

template <class Archive, class M>
void moment_fields(Archive& archive, M& moment) {
  archive.required("elapsed_s", moment.elapsed);
  archive.required("total_s_low", moment.total.low);
  archive.required("total_s", moment.total.mid);
  archive.required("total_s_high", moment.total.high);
}

template <class Archive, class P>
void preparation_fields(Archive& archive, P& step) {
  archive.required("what", step.what);
  archive.required("time_s", step.time);
  archive("bytes", step.bytes);
}

template <class Archive, class P>
void pause_fields(Archive& archive, P& pause) {
  archive.required("begin_ns", pause.begin_ns);
  archive.required("end_ns", pause.end_ns);
}

template <class Archive, class R>
void run_fields(Archive& archive, R& run) {
  auto& context = run.context;
  archive.required("id", context.id);
  archive("sweep", context.sweep);
  archive.required("kind", context.kind);
  archive.required("program", context.program);
  archive("settings", context.settings);
  archive("working_dir", context.working_dir);
  archive.required("machine_type", context.machine_type);
  archive("place", context.place);
  archive("price", context.price);
  archive("offer", context.offer);
  archive("plan", context.plan);
  archive("patience", context.patience);
  archive("metric", context.metric);
  archive("start", context.start);
  archive.required("started_at", context.started_at);
  archive("lapcast_version", context.lapcast_version);
  archive("machine", context.machine);
  archive("imported_from", context.imported_from);
  archive.when_true("imported", context.imported);
  archive.required("outcome", run.outcome);
  archive.required("started_ns", run.started_ns);
  archive.required("ended_ns", run.ended_ns);
  archive("stop_sent_ns", run.stop_sent_ns);
  archive("usage", run.usage);
  archive.required("lap_logs", run.lap_logs);
  archive("standard_output", run.standard_output);
  archive("standard_error", run.standard_error);
  archive("warnings", run.warnings);
  archive("forecasts", run.forecasts);
  archive("preparation", run.preparation);
  archive("pauses", run.pauses);
}

}  // namespace lapcast
