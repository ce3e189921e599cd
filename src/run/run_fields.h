#pragma once

#include <array>
#include <string_view>
#include <utility>
#include <variant>

#include "run/json_writer.h"
#include "run/run.h"

namespace lapcast {

// The archive is called with each key and member, in the order of the export. When reading,
// `required` members must be present; a missing one of the others stays as it is, which means "not
// known".

void fields(auto& archive, MaybeConst<MachineType> auto& type) {
  archive.required("name", type.name);
  archive("cpus", type.cpus);
  archive("cpu_quota", type.cpu_quota);
  archive("environment", type.environment);
  archive("exclusive", type.exclusive);
}

void fields(auto& archive, MaybeConst<TrainingPlan> auto& plan) {
  archive("epochs", plan.epochs);
  archive("steps", plan.steps);
  archive("training_samples", plan.training_samples);
  archive("validation_samples", plan.validation_samples);
  archive("validate_every", plan.validate_every);
  archive("validate_from", plan.validate_from);
}

void fields(auto& archive, MaybeConst<Usage> auto& usage) {
  archive("user_s", usage.user);
  archive("system_s", usage.system);
  archive("peak_rss_bytes", usage.peak_rss_bytes);
  archive("minor_faults", usage.minor_faults);
}

void fields(auto& archive, MaybeConst<GpuSetUp> auto& gpu) {
  archive("power_limit_mw", gpu.power_limit_mw);
  archive("top_clock_mhz", gpu.top_clock_mhz);
  archive("ecc", gpu.ecc);
  archive("mig", gpu.mig);
  archive("pcie", gpu.pcie);
  archive("compute_mode", gpu.compute_mode);
}

void fields(auto& archive, MaybeConst<Accelerator> auto& accelerator) {
  archive("vendor", accelerator.vendor);
  archive("model", accelerator.model);
  archive("driver", accelerator.driver);
  archive("memory_bytes", accelerator.memory_bytes);
  archive("cores", accelerator.cores);
  archive("compute_capability", accelerator.compute_capability);
  archive("cuda_cores", accelerator.cuda_cores);
  archive("cuda", accelerator.cuda);
  archive("set_up", accelerator.set_up);
}

void fields(auto& archive, MaybeConst<MachineDescription> auto& machine) {
  archive("host", machine.host);
  archive("os", machine.os);
  archive("cpu_model", machine.cpu_model);
  archive("architecture", machine.architecture);
  archive("isa", machine.isa);
  archive("hypervisor", machine.hypervisor);
  archive("boot_id", machine.boot_id);
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
  archive("allocators", machine.allocators);
  archive("missing", machine.missing);
}

void fields(auto& archive, MaybeConst<Owned> auto& owned) {
  archive.required("purchase_usd", owned.purchase);
  archive.required("years", owned.years);
  archive("utilisation", owned.utilisation);
  archive("power_kw", owned.power_kw);
  archive("usd_per_kwh", owned.price_per_kwh);
  archive("running_cost_usd_per_year", owned.running_cost_per_year);
}

void fields(auto& archive, MaybeConst<Spot> auto& spot) {
  archive("interruption_hours", spot.hours_between_interruptions);
  archive("notice_s", spot.notice_s);
}

void fields(auto& archive, MaybeConst<Reserved> auto& reserved) {
  archive.required("months", reserved.months);
  archive("up_front_usd", reserved.up_front);
  archive("usd_per_hour", reserved.per_hour);
  archive("utilisation", reserved.utilisation);
}

void fields(auto& archive, MaybeConst<OtherPrices> auto& other) {
  archive("licence_usd_per_hour", other.licence.per_hour);
  archive("storage_usd_per_gb_month", other.storage_per_gb_month);
  archive("snapshots_usd_per_gb_month", other.snapshots_per_gb_month);
  archive("egress_usd_per_gb", other.egress_per_gb);
  archive("tax", other.tax);
}

void fields(auto& archive, MaybeConst<Offer> auto& offer) {
  archive("name", offer.name);
  archive("provider", offer.provider);
  archive("service", offer.service);
  archive("machine_type", offer.machine_type);
  archive("region", offer.region);
  archive("accelerator", offer.accelerator);
  archive("accelerator_count", offer.accelerator_count);
  archive("vcpus", offer.vcpus);
  archive("memory_bytes", offer.memory_bytes);
  archive("accelerator_memory_bytes", offer.accelerator_memory_bytes);
  archive.required("usd_per_hour", offer.price.per_hour);
  archive("terms", offer.terms);
  archive("billing_step_ns", offer.billing.step_ns);
  archive("billing_minimum_ns", offer.billing.minimum_ns);
  archive("other", offer.other);
  archive("boot_ns", offer.boot_ns);
  archive.required("as_of", offer.as_of);
  archive.required("source", offer.source);
}

void fields(auto& archive, MaybeConst<ForecastMoment> auto& moment) {
  archive.required("elapsed_s", moment.elapsed);
  archive.required("total_s_low", moment.total.low);
  archive.required("total_s", moment.total.mid);
  archive.required("total_s_high", moment.total.high);
}

void fields(auto& archive, MaybeConst<PreparationStep> auto& step) {
  archive.required("what", step.what);
  archive.required("time_s", step.time);
  archive("bytes", step.bytes);
}

void fields(auto& archive, MaybeConst<Pause> auto& pause) {
  archive.required("begin_ns", pause.begin_ns);
  archive.required("end_ns", pause.end_ns);
  archive.when_true("with_queue", pause.with_queue);
}

void fields(auto& archive, MaybeConst<Run> auto& run) {
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
  archive("start_id", context.start_id);
  archive.when_true("warm_up", context.warm_up);
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
  archive.lap_logs(run.lap_logs);
  archive("standard_output", run.standard_output);
  archive("standard_error", run.standard_error);
  archive("warnings", run.warnings);
  archive("forecasts", run.forecasts);
  archive("preparation", run.preparation);
  archive("pauses", run.pauses);
}

void fields(auto& archive, MaybeConst<outcome::Enough> auto& enough) {
  archive("rule", enough.rule);
}

void fields(auto& archive, MaybeConst<outcome::BudgetSpent> auto& spent) {
  archive("which", spent.which);
}

void fields(auto& archive, MaybeConst<outcome::OutOfMemory> auto& lack) {
  archive("message", lack.message);
  archive("batch", lack.batch);
  archive("peak_bytes", lack.peak_bytes);
}

void fields(auto& archive, MaybeConst<outcome::Crashed> auto& crash) {
  archive("exit_status", crash.exit_status);
  archive("signal", crash.signal);
  archive("out_of_gpu_memory", crash.out_of_memory);
  archive("out_of_main_memory", crash.out_of_main_memory);
}

template <class Archive, class O>
requires MaybeConst<O, outcome::NoLaps> || MaybeConst<O, outcome::NotStarted> ||
    MaybeConst<O, outcome::NotEnded>
void fields(Archive& archive, O& failure) {
  archive("why", failure.why);
}

template <class Archive, class T>
requires MaybeConst<T, OnDemand> || MaybeConst<T, outcome::Ended> ||
    MaybeConst<T, outcome::Interrupted>
void fields(Archive&, T&) {}

/// Is satisfied by types whose members fields() lists.
template <class T, class Archive>
concept HasFields = requires(Archive& archive, T& value) {
  fields(archive, value);
};

/// Lists the names of a variant's alternatives, in the order of the variant, each with its default.
template <class Variant>
using NamedAlternatives =
    std::array<std::pair<std::string_view, Variant>, std::variant_size_v<Variant>>;

inline const NamedAlternatives<Terms> kTermsKinds{
    {{"on-demand", OnDemand{}}, {"owned", Owned{}}, {"spot", Spot{}}, {"reserved", Reserved{}}}};
inline const NamedAlternatives<Outcome> kOutcomeKinds{{{"enough", outcome::Enough{}},
                                                       {"budget-spent", outcome::BudgetSpent{}},
                                                       {"ended", outcome::Ended{}},
                                                       {"crashed", outcome::Crashed{}},
                                                       {"no-laps", outcome::NoLaps{}},
                                                       {"not-started", outcome::NotStarted{}},
                                                       {"interrupted", outcome::Interrupted{}},
                                                       {"not-ended", outcome::NotEnded{}}}};

inline constexpr std::pair<const char*, RunKind> kRunKinds[] = {
    {"probe", RunKind::probe}, {"full", RunKind::full}, {"find-epochs", RunKind::find_epochs}};
inline constexpr std::pair<const char*, StartKind> kStartKinds[] = {
    {"unknown", StartKind::unknown}, {"cold", StartKind::cold}, {"warm", StartKind::warm}};

}  // namespace lapcast
