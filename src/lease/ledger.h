#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "lease/lease.h"
#include "lease/lease_cost.h"
#include "posix/files.h"
#include "posix/state_folder.h"

namespace lapcast {

/// Holds one line of a lease's history: every answer of an adapter, for disputes over a bill.
struct LeaseEvent {
  UtcNs at = 0;
  std::string what;
};

/// Keeps all leases of a user in one SQLite file, whatever the store, so that no machine is
/// forgotten with a project. Each change is on the disk when the function returns (synchronous =
/// FULL). Several lapcasts use it at once. Functions throw Error (store) when the file cannot be
/// used. Use an object from one thread.
class Ledger {
 public:
  /// Opens the ledger of the user, and creates it unless it exists.
  static Ledger open() { return open(state_folder()); }
  static Ledger open(const std::filesystem::path& folder);
  /// Opens the ledger if there is one.
  static std::optional<Ledger> open_existing();
  Ledger(Ledger&&) noexcept;
  Ledger& operator=(Ledger&&) noexcept;
  ~Ledger();

  const std::filesystem::path& folder() const;
  /// Returns the folder with the keys of a lease, and the ssh configuration that reaches it.
  std::filesystem::path folder_of(std::string_view id) const;

  /// Writes a new lease, if the limits allow its order. The check and the line are one transaction,
  /// so that two lapcasts cannot spend the same money. The reason says what is too dear.
  Result<void> add(const Lease& lease, const RentLimits& limits);
  /// Gives a lease another deadline, if the limits allow that. The reason says what is too dear.
  Result<void> move_deadline(std::string_view id, UtcNs deadline, const RentLimits& limits);
  /// Lets so many bytes be fetched from the machine of a lease in all, if the limits allow their
  /// egress. The reason says what is too dear.
  Result<void> allow_to_fetch(std::string_view id, std::int64_t bytes, const RentLimits& limits);
  /// Changes a lease in one transaction. Returns the lease as it is then; nothing when there is no
  /// such lease.
  std::optional<Lease> update(std::string_view id, const std::function<void(Lease&)>& change);
  std::optional<Lease> find(std::string_view id) const;
  /// Returns the leases whose id begins so.
  std::vector<Lease> find_all(std::string_view beginning) const;
  std::vector<Lease> open_leases() const;
  std::vector<Lease> all_leases() const;
  /// Returns the leases of one search, by their scope.
  std::vector<Lease> leases_of(std::string_view scope) const;  // the oldest first
  /// Removes the line of a lease and its history.
  void forget(std::string_view id);

  void add_event(std::string_view id, std::string_view what);
  std::vector<LeaseEvent> events_of(std::string_view id) const;

  /// Tries to own a lease. It stays owned until the lock is destroyed or this process ends.
  FileLock hold(std::string_view id) const;
  /// Returns whether a living process owns the lease.
  bool is_held(std::string_view id) const;

 private:
  struct Impl;
  explicit Ledger(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace lapcast
