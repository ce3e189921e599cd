#include "data/pickle_machine.h"

#include <cstring>
#include <optional>
#include <stdexcept>
#include <utility>

namespace lapcast::workloads {
namespace {

constexpr size_t kMostValues = 1'000'000;  // of a pickle, so that its memory is bounded
constexpr size_t kLongestName = 4096;      // of a text or a function
constexpr size_t kMostDimensions = 64;

bool is_sequence(const PickleValue& value, size_t least) {
  return value.kind == PickleKind::kSequence && value.items.size() >= least;
}

std::optional<std::vector<int64_t>> numbers_in(const PickleValue& value) {
  if (value.kind != PickleKind::kSequence || value.items.size() > kMostDimensions)
    return std::nullopt;
  std::vector<int64_t> numbers;
  for (const PickleValue* item : value.items) {
    if (item->kind != PickleKind::kNumber || item->number < 0) return std::nullopt;
    numbers.push_back(item->number);
  }
  return numbers;
}

}  // namespace

PickleMachine::PickleMachine(std::string_view text, size_t at) : text_(text), at_(at) {
  while (!result_) {
    op_at_ = at_;
    const char op = static_cast<char>(take<uint8_t>());
    if (op == '.') {
      result_ = pop();
    } else if (!push_constant(op) && !push_text(op) && !push_function(op) && !remember(op) &&
               !build_sequence(op) && !build_dict(op) && !call(op)) {
      fail("has an instruction that no state dict has");
    }
  }
}

void PickleMachine::fail(const std::string& what) const {
  throw std::runtime_error("byte " + std::to_string(op_at_) + " " + what);
}

std::string_view PickleMachine::take_bytes(size_t count) {
  if (count > text_.size() - at_) fail("begins an instruction that the file cuts off");
  at_ += count;
  return text_.substr(at_ - count, count);
}

/// Returns the next number of the text, which has the byte order of x86-64.
template <typename Number>
Number PickleMachine::take() {
  Number number;
  std::memcpy(&number, take_bytes(sizeof number).data(), sizeof number);
  return number;
}

std::string_view PickleMachine::take_line() {
  const size_t length = text_.substr(at_, kLongestName + 1).find('\n');
  if (length == std::string_view::npos) fail("begins a line without an end");
  const std::string_view line = take_bytes(length);
  ++at_;
  return line;
}

PickleValue& PickleMachine::push(PickleKind kind) {
  if (values_.size() >= kMostValues) fail("makes more values than a state dict has");
  PickleValue& value = values_.emplace_back();
  value.kind = kind;
  stack_.push_back(&value);
  return value;
}

bool PickleMachine::push_number(int64_t number) {
  push(PickleKind::kNumber).number = number;
  return true;
}

/// Pushes a text; one that is too long for a name becomes nothing.
bool PickleMachine::push_name(std::string_view text) {
  if (text.size() > kLongestName) {
    push(PickleKind::kNothing);
  } else {
    push(PickleKind::kText).text = text;
  }
  return true;
}

bool PickleMachine::push_sequence(Values items) {
  push(PickleKind::kSequence).items = std::move(items);
  return true;
}

PickleValue* PickleMachine::pop() {
  if (stack_.empty()) fail("takes a value from an empty stack");
  PickleValue* value = stack_.back();
  stack_.pop_back();
  return value;
}

PickleMachine::Values PickleMachine::pop_some(size_t count) {
  Values values(count);
  for (size_t i = count; i > 0; --i) values[i - 1] = pop();
  return values;
}

/// Returns the values above the last mark and removes them and the mark.
PickleMachine::Values PickleMachine::pop_to_mark() {
  size_t mark = stack_.size();
  while (mark > 0 && stack_[mark - 1]->kind != PickleKind::kMark) --mark;
  if (mark == 0) fail("looks for a mark and finds none");
  Values values(stack_.begin() + static_cast<std::ptrdiff_t>(mark), stack_.end());
  stack_.resize(mark - 1);
  return values;
}

PickleValue& PickleMachine::top(PickleKind kind) {
  if (stack_.empty() || stack_.back()->kind != kind) fail("finds nothing to add values to");
  return *stack_.back();
}

bool PickleMachine::push_constant(char op) {
  switch (op) {
    case '\x80':  // PROTO
      take<uint8_t>();
      return true;
    case '\x95':  // FRAME
      take<uint64_t>();
      return true;
    case 'N':
      push(PickleKind::kNothing);
      return true;
    case '\x88':
      return push_number(1);
    case '\x89':
      return push_number(0);
    case 'J':
      return push_number(take<int32_t>());
    case 'K':
      return push_number(take<uint8_t>());
    case 'M':
      return push_number(take<uint16_t>());
    case '\x8a':
      return push_long(take<uint8_t>());
    case 'G':  // a real number, which no tensor needs
      take_bytes(8);
      push(PickleKind::kNothing);
      return true;
    default:
      return false;
  }
}

/// Pushes a whole number. One that does not fit 64 bits becomes nothing, with its bytes as text.
bool PickleMachine::push_long(size_t count) {
  const std::string_view bytes = take_bytes(count);
  if (count > 8) {
    push(PickleKind::kNothing).text = bytes;
    return true;
  }
  uint64_t number = !bytes.empty() && (bytes.back() & 0x80) ? ~uint64_t{0} : 0;
  std::memcpy(&number, bytes.data(), count);
  return push_number(static_cast<int64_t>(number));
}

bool PickleMachine::push_text(char op) {
  switch (op) {
    case 'X':  // BINUNICODE
    case 'T':  // BINSTRING
      return push_name(take_bytes(take<uint32_t>()));
    case '\x8c':  // SHORT_BINUNICODE
    case 'U':     // SHORT_BINSTRING
      return push_name(take_bytes(take<uint8_t>()));
    default:
      return false;
  }
}

bool PickleMachine::push_function(char op) {
  if (op == 'c') {  // GLOBAL
    const std::string_view module = take_line();
    push(PickleKind::kFunction).text = std::string(module) + "." + std::string(take_line());
  } else if (op == '\x93') {  // STACK_GLOBAL
    const Values names = pop_some(2);
    push(PickleKind::kFunction).text = names[0]->text + "." + names[1]->text;
  } else {
    return false;
  }
  return true;
}

bool PickleMachine::remember(char op) {
  const auto put = [&](uint32_t key) {
    if (stack_.empty()) fail("takes a value from an empty stack");
    memo_[key] = stack_.back();
    return true;
  };
  const auto get = [&](uint32_t key) {
    const auto found = memo_.find(key);
    if (found == memo_.end()) fail("asks for a value that was not kept");
    stack_.push_back(found->second);
    return true;
  };
  switch (op) {
    case 'q':
      return put(take<uint8_t>());
    case 'r':
      return put(take<uint32_t>());
    case '\x94':
      return put(static_cast<uint32_t>(memo_.size()));
    case 'h':
      return get(take<uint8_t>());
    case 'j':
      return get(take<uint32_t>());
    default:
      return false;
  }
}

bool PickleMachine::build_sequence(char op) {
  switch (op) {
    case '(':
      push(PickleKind::kMark);
      return true;
    case ')':
    case ']':
      return push_sequence({});
    case '\x85':
      return push_sequence(pop_some(1));
    case '\x86':
      return push_sequence(pop_some(2));
    case '\x87':
      return push_sequence(pop_some(3));
    case 't':
    case 'l':
      return push_sequence(pop_to_mark());
    case 'a': {
      PickleValue* item = pop();
      top(PickleKind::kSequence).items.push_back(item);
      return true;
    }
    case 'e': {
      const Values items = pop_to_mark();
      Values& all = top(PickleKind::kSequence).items;
      all.insert(all.end(), items.begin(), items.end());
      return true;
    }
    default:
      return false;
  }
}

bool PickleMachine::build_dict(char op) {
  if (op == '}') {
    push(PickleKind::kDict);
    return true;
  }
  if (op != 's' && op != 'u') return false;
  const Values items = op == 's' ? pop_some(2) : pop_to_mark();
  if (items.size() % 2 != 0) fail("has a key without a value");
  Values& all = top(PickleKind::kDict).items;
  all.insert(all.end(), items.begin(), items.end());
  return true;
}

bool PickleMachine::call(char op) {
  if (op == 'Q') {  // BINPERSID
    push_storage(*pop());
  } else if (op == 'R') {  // REDUCE
    const PickleValue& arguments = *pop();
    const PickleValue& function = *pop();
    if (function.kind != PickleKind::kFunction) fail("calls what is not a function");
    call_function(function.text, arguments);
  } else if (op == 'b') {  // BUILD: the attribute _metadata of a state dict
    pop();
    if (stack_.empty() || stack_.back()->kind != PickleKind::kDict) {
      fail("sets attributes of what is not a dictionary");
    }
  } else {
    return false;
  }
  return true;
}

void PickleMachine::call_function(const std::string& name, const PickleValue& arguments) {
  if (name == "collections.OrderedDict") {
    push(PickleKind::kDict);
  } else if (name == "torch._utils._rebuild_tensor_v2" || name == "torch._utils._rebuild_tensor") {
    push_tensor(arguments);
  } else if (name == "torch._utils._rebuild_parameter") {
    if (!is_sequence(arguments, 1)) fail("rebuilds a parameter of nothing");
    stack_.push_back(arguments.items[0]);
  } else {
    fail("calls " + name.substr(0, 100) + ", which no state dict does; nothing was run");
  }
}

/// Pushes the storage that a tuple ("storage", type, name, device, numbers) names.
void PickleMachine::push_storage(const PickleValue& id) {
  if (!is_sequence(id, 5) || id.items[0]->text != "storage" ||
      id.items[1]->kind != PickleKind::kFunction || id.items[2]->kind != PickleKind::kText ||
      id.items[4]->kind != PickleKind::kNumber) {
    fail("names no storage of a tensor");
  }
  const std::string& type = id.items[1]->text;
  PickleValue& storage = push(PickleKind::kStorage);
  storage.type = type.substr(type.rfind('.') + 1);
  storage.text = id.items[2]->text;
  storage.number = id.items[4]->number;
}

/// Pushes the tensor of the arguments (storage, offset, sizes, strides, ...).
void PickleMachine::push_tensor(const PickleValue& arguments) {
  if (!is_sequence(arguments, 4) || arguments.items[0]->kind != PickleKind::kStorage ||
      arguments.items[1]->kind != PickleKind::kNumber) {
    fail("rebuilds a tensor without a storage");
  }
  const PickleValue& storage = *arguments.items[0];
  const auto sizes = numbers_in(*arguments.items[2]);
  const auto strides = numbers_in(*arguments.items[3]);
  if (!sizes || !strides) fail("rebuilds a tensor without sizes");
  auto tensor = std::make_unique<PickledTensor>();
  tensor->type = storage.type;
  tensor->storage = storage.text;
  tensor->storage_numbers = storage.number;
  tensor->offset = arguments.items[1]->number;
  tensor->sizes = *sizes;
  tensor->strides = *strides;
  if (!lies_in_storage(*tensor)) fail("rebuilds a tensor that reaches beyond its storage");
  push(PickleKind::kTensor).tensor = std::move(tensor);
}

}  // namespace lapcast::workloads
