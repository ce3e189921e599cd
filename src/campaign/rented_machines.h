#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "campaign/machine_supply.h"
#include "campaign/rent_plan.h"
#include "lease/rental.h"

namespace lapcast {

/// Says what may be spent on rented machines, and what becomes of them at the end.
struct RentTerms {
  Money budget;                       // of one search, resumed or not
  std::optional<Money> a_month = {};  // of all searches of the user in a month
  std::optional<Seconds> keep = {};   // how long machines stay for the next command; none = not
  bool unprotected = false;           // also where nothing but this computer ends a machine
};

/// Returns whether a machine that was silent for that long is dead: its provider has answered since
/// the silence began. Where the provider is silent, too, the network of this computer may be down.
bool is_dead(const Rental& rental, Seconds silence);

/// Rents the machines of a campaign, and gives each back when its work is done. What a killed
/// lapcast rented for the same search is taken over. A machine that was used and is lost is
/// replaced, up to kMostLives times.
class RentedMachines : public MachineSupply {
 public:
  static constexpr int kMostLives = 3;

  RentedMachines(RentPlan plan, RentTerms terms, RentalListener tell);

  void begin(const std::string& search, bool hold) override;
  void step(const std::vector<std::string>& left) override;
  const SuppliedMachine* find(const std::string& name) const override;
  void note_silence(const std::string& name, Seconds time) override;
  void note_fetched(const std::string& name, std::int64_t bytes) override;
  void refuse(const std::string& name, const std::string& why) override;
  std::string cost_text() const override;
  void finish() override;
  std::vector<SuppliedLease> leases() const override;

 private:
  struct Machine {
    MachineToRent wanted;
    SuppliedMachine shown = {};
    std::optional<std::size_t> rental = {};  // number; none = nothing is rented for it
    Seconds asked_at_silence{0};             // the silence at which its list was asked for last
  };

  void take_over();
  bool is_any_held(const std::string& search) const;
  void update(Machine& machine);
  void take_ready(Machine& machine, const Rental& rental);
  void take_ended(Machine& machine, const std::string& why, bool may_come_again);
  void give_back_idle(const std::vector<std::string>& left);
  void order_next(const std::vector<std::string>& left);
  void ask_for_egress();
  Machine* machine_of(const std::string& name);

  RentTerms terms_;
  std::size_t at_once_;
  RentalListener tell_;
  std::map<std::string, Machine> machines_;  // by name
  std::unique_ptr<Rentals> rentals_;         // from begin() on
  bool asked_for_egress_ = false;
  bool hold_ = false;  // machines stay until the end, because later stages need them again
};

}  // namespace lapcast
