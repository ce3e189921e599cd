#include "lease/lease_json.h"

#include "lease/lease_names.h"
#include "run/json_object.h"
#include "run/json_reader.h"
#include "run/json_writer.h"

namespace lapcast {
namespace {

constexpr int kMostDepth = 8;

void lease_fields(auto& archive, MaybeConst<Billing> auto& billing) {
  archive("step_ns", billing.step_ns);
  archive("minimum_ns", billing.minimum_ns);
}

void lease_fields(auto& archive, MaybeConst<LeaseOrder> auto& order) {
  archive("name", order.name);
  archive.required("adapter", order.adapter);
  archive("type", order.type);
  archive("region", order.region);
  archive("zone", order.zone);
  archive("image", order.image);
  archive.when_true("spot", order.spot);
  archive("term_s", order.term);
  archive("boot_limit_s", order.boot_limit);
  archive("usd_per_hour", order.price.per_hour);
  archive("most_usd_per_hour", order.most.per_hour);
  archive("billing", order.billing);
  archive("egress_usd_per_gb", order.egress);
  archive("may_fetch_bytes", order.may_fetch);
  archive("options", order.options);
}

void lease_times(auto& archive, MaybeConst<Lease> auto& lease) {
  archive.required("asked_ns", lease.asked);
  archive.required("deadline_ns", lease.deadline);
  archive("next_try_ns", lease.next_try);
  archive("last_request_ns", lease.last_request);
  archive("created_ns", lease.created);
  archive("reachable_ns", lease.reachable);
  archive("ending_ns", lease.ending);
  archive("absent_ns", lease.absent);
  archive("gone_ns", lease.gone);
  archive("preempted_at_ns", lease.preempted_at);
  archive("keep_until_ns", lease.keep_until);
}

void lease_fields(auto& archive, MaybeConst<Lease> auto& lease) {
  archive.required("id", lease.id);
  archive.required("order", lease.order);
  archive.required("state", lease.state);
  archive("protection", lease.protection);
  archive.when_true("idempotent", lease.idempotent);
  archive("settle_s", lease.settle);
  lease_times(archive, lease);
  archive("creates", lease.creates);
  archive("creates_answered", lease.creates_answered);
  archive("deletes", lease.deletes);
  archive.when_true("is_kept", lease.is_kept);
  archive.when_true("was_listed", lease.was_listed);
  archive("machine", lease.machine);
  archive("region", lease.region);
  archive("zone", lease.zone);
  archive("address", lease.address);
  archive("port", lease.port);
  archive("user", lease.user);
  archive("host_key", lease.host_key);
  archive.when_true("key_was_taken", lease.key_was_taken);
  archive("usd_per_hour", lease.price.per_hour);
  archive.when_true("price_is_told", lease.price_is_told);
  archive("fetched_bytes", lease.fetched);
  archive("refusal", lease.refusal);
  archive("reason", lease.reason);
  archive("scope", lease.scope);
  archive("owner", lease.owner);
}

template <class T>
constexpr bool kIsRecord =
    std::is_same_v<T, Billing> || std::is_same_v<T, LeaseOrder> || std::is_same_v<T, Lease>;
template <class T>
constexpr bool kIsName = std::is_enum_v<T>;

class LeaseWriter : public JsonWriter<LeaseWriter> {
 public:
  using JsonWriter::to_node;
  template <class T>
  requires kIsName<T>
  static Node to_node(T name) { return std::string(name_of(name)); }
  template <class T>
  requires kIsRecord<T>
  static Node to_node(const T& value) {
    return object_of([](auto& writer, auto& object) { lease_fields(writer, object); }, value);
  }
};

class LeaseReader : public JsonReader<LeaseReader> {
 public:
  using JsonReader::JsonReader;
  using JsonReader::read;
  static JsonProblem read(const Node& node, LeaseState& state) {
    return read_name(node, names_of_all<LeaseState, 5>(), state);
  }
  static JsonProblem read(const Node& node, Protection& protection) {
    return read_name(node, names_of_all<Protection, 3>(), protection);
  }
  static JsonProblem read(const Node& node, RentRefusal& refusal) {
    return read_name(node, names_of_all<RentRefusal, 7>(), refusal);
  }
  template <class T>
  requires kIsRecord<T>
  static JsonProblem read(const Node& node, T& value) {
    return read_object(
        node, [](auto& reader, auto& object) { lease_fields(reader, object); }, value);
  }
};

}  // namespace

std::string lease_json(const Lease& lease) {
  return LeaseWriter::to_node(lease).dump();
}

Result<Lease> parse_lease(std::string_view json) {
  return read_json_object<LeaseReader, Lease>(json, kMostDepth);
}

}  // namespace lapcast
