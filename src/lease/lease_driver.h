#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lease/adapter.h"
#include "lease/ledger.h"
#include "posix/files.h"
#include "remote/command.h"

namespace lapcast {

/// Is told of every change of a lease that is driven.
using LeaseListener = std::function<void(const Lease& before, const Lease& now)>;

/// Moves the leases that this process owns on: does what next_step() says, with adapters and ssh as
/// processes in the background. All is written into the ledger before it is done. Nothing blocks.
class LeaseDriver {
 public:
  LeaseDriver(Ledger& ledger, LeaseListener changed);
  LeaseDriver(const LeaseDriver&) = delete;
  ~LeaseDriver();

  /// Drives a lease of the ledger whose lock is held. `description` is needed to create a machine.
  void drive(FileLock lock, const Lease& lease, std::optional<AdapterDescription> description = {});
  /// Makes something known, and does what follows.
  void take(const std::string& id, const LeaseFact& fact);
  /// Asks for a list of the lease's provider as soon as possible.
  void list_now(const std::string& id);
  /// Drives a lease no longer, and gives its lock back. It stays as it is.
  void let_go(const std::string& id);

  /// Returns the newest state of a lease that is or was driven; nullptr for others.
  const Lease* find(const std::string& id) const;
  /// Returns why ssh did not work when it was tried last; empty = it was not tried.
  std::string login_trouble(const std::string& id) const;
  /// Returns when the newest answered list of the lease's provider was asked for.
  std::optional<UtcNs> listed(const std::string& id) const;
  /// Returns whether a lease that is driven is open.
  bool any_open() const;

  /// Moves all leases on for at most that long; returns as soon as one has changed its state.
  void step(std::chrono::milliseconds at_most);

 private:
  struct Driven;
  struct Provider;
  void step_once();
  void advance(Driven& driven, const LeaseFact& fact);
  void perform(Driven& driven);
  void take_call(Driven& driven);
  void take_login(Driven& driven);
  void start_login(Driven& driven);
  void start_create(Driven& driven);
  void start_delete(Driven& driven);
  void step_list(const std::string& adapter, Provider& provider);
  void take_list(const std::string& adapter, Provider& provider);
  void find_wrongly_gone(const ListedFact& whole);
  void close(Driven& driven);

  Ledger& ledger_;
  LeaseListener changed_;
  bool has_changed_ = false;
  std::map<std::string, std::unique_ptr<Driven>> driven_;  // by id
  std::map<std::string, std::unique_ptr<Provider>> providers_;
};

}  // namespace lapcast
