#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/error.h"
#include "lease/adapter_answer.h"
#include "lease/lease.h"

namespace lapcast {

// The folder of a lease has its keys and the configuration that makes ssh reach its machine. All
// files are private, and are removed when the lease is gone.

/// Says how a rented machine is reached.
struct LeaseConnection {
  std::string host;  // "lapcast-5cb6fbbacaca": its name in `config`
  std::string address;
  int port = 22;
  std::string user;
  std::filesystem::path config;       // for ssh -F: names all of these, and never asks
  std::filesystem::path identity;     // the private key of the login
  std::filesystem::path known_hosts;  // has the host key, by the name `host`
};

/// Returns how the machine of a lease is reached; `folder` is Ledger::folder_of().
LeaseConnection connection_of(const std::filesystem::path& folder, const Lease& lease);

/// Makes a key pair for the login and one for the machine, with ssh-keygen. The reason says that
/// there is none, or that the folder cannot be written.
Result<void> make_lease_keys(const std::filesystem::path& folder, const std::string& id);

/// Returns the public key of the login, or of the machine, as one line.
std::string login_key(const std::filesystem::path& folder);
std::string machine_key(const std::filesystem::path& folder);

/// Returns the shell script that a machine runs at its first boot: it orders the power-off at the
/// deadline first, and then gives the machine its host key and the login its key.
std::string user_data_script(const Lease& lease, const std::filesystem::path& folder);

/// Writes the configuration of ssh, and the host key where it is known. Call it again when the
/// address has changed. The reason names the file that cannot be written.
Result<void> write_connection(const std::filesystem::path& folder, const Lease& lease);

/// Returns the arguments of an ssh that runs a command on the machine. It opens the connection that
/// what is run there later shares, or shares that one.
std::vector<std::string> lease_ssh(const LeaseConnection& connection, const std::string& command);

/// Removes the folder of a lease.
void remove_lease_files(const std::filesystem::path& folder);

}  // namespace lapcast
