#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/pickle.h"

namespace lapcast::workloads {

enum class PickleKind {
  kNothing,
  kNumber,
  kText,
  kSequence,
  kDict,
  kFunction,
  kStorage,
  kTensor,
  kMark
};

/// Holds a value of the machine. Values refer to each other by pointers into the machine's memory,
/// so even a deep or circular value is freed without recursion.
struct PickleValue {
  PickleKind kind = PickleKind::kNothing;
  int64_t number = 0;               ///< of a storage: its numbers
  std::string text;                 ///< of a storage: its name
  std::string type;                 ///< of a storage: "FloatStorage"
  std::vector<PickleValue*> items;  ///< of a dict: key, value, key, value, ...
  std::unique_ptr<PickledTensor> tensor;
};

/// Is the stack machine of one pickle.
class PickleMachine {
 public:
  /// Runs the pickle that begins at byte `at` of the text. Throws as read_pickled_tensors() does.
  PickleMachine(std::string_view text, size_t at);

  /// Returns the value that the pickle left. It lives as long as the machine.
  const PickleValue& result() const { return *result_; }

  /// Returns the byte after the pickle.
  size_t end() const { return at_; }

 private:
  using Values = std::vector<PickleValue*>;

  [[noreturn]] void fail(const std::string& what) const;
  std::string_view take_bytes(size_t count);
  std::string_view take_line();
  template <typename Number>
  Number take();

  PickleValue& push(PickleKind kind);
  bool push_number(int64_t number);
  bool push_name(std::string_view text);
  bool push_sequence(Values items);
  PickleValue* pop();
  Values pop_some(size_t count);
  Values pop_to_mark();
  PickleValue& top(PickleKind kind);

  // Each returns whether the instruction is one of its own, and has then run it.
  bool push_constant(char op);
  bool push_text(char op);
  bool push_function(char op);
  bool remember(char op);
  bool build_sequence(char op);
  bool build_dict(char op);
  bool call(char op);

  bool push_long(size_t bytes);
  void call_function(const std::string& name, const PickleValue& arguments);
  void push_storage(const PickleValue& id);
  void push_tensor(const PickleValue& arguments);

  std::string_view text_;
  size_t at_;
  size_t op_at_ = 0;  // the byte of the present instruction
  std::deque<PickleValue> values_;
  Values stack_;
  std::map<uint32_t, PickleValue*> memo_;
  const PickleValue* result_ = nullptr;
};

}  // namespace lapcast::workloads
