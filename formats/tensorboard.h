#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/imported.h"
#include "formats/logged_scalars.h"

namespace lapcast {

// A TensorBoard event file is a TFRecord file whose records are messages in protobuf's wire format.

/// Splits a TFRecord file, piece by piece, into its records. A record is the little-endian length
/// (8 bytes), the masked CRC of the length (4), the data, and the masked CRC of the data (4). Both
/// CRCs are checked.
class TfRecordReader {
 public:
  static constexpr std::size_t kLargest = 16 << 20;  // bytes; larger records (images) are skipped

  using Take = std::function<void(std::string_view data)>;

  /// Takes the next bytes of the file; a piece may end anywhere. Calls `take` with the data of each
  /// record whose CRCs are right. The view is valid only during the call.
  void feed(std::string_view piece, const Take& take);

  /// Returns the number of records so far, including skipped and damaged ones.
  std::int64_t records() const { return records_; }
  /// Returns the records whose data failed its CRC check.
  const ProblemCount& damaged() const { return damaged_; }
  /// Returns true once a length failed its CRC check. The rest of the file is then ignored, because
  /// no later record can be found.
  bool is_lost() const { return lost_; }
  /// Returns true when the file ends within a record; call it after the last piece.
  bool is_cut() const { return !rest_.empty() || skip_ > 0; }

 private:
  std::size_t take_record(std::string_view bytes, const Take& take);

  std::string rest_;
  std::uint64_t skip_ = 0;  // bytes of a large record that are still to come
  std::int64_t records_ = 0;
  ProblemCount damaged_{"record"};
  bool lost_ = false;
};

/// Reads the fields of one message in protobuf's wire format, in order, without a schema. A nested
/// message is returned as bytes. The message must outlive this reader.
class WireFields {
 public:
  enum class Type : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

  explicit WireFields(std::string_view message) : rest_(message) {}

  /// Reads the next field. Returns false at the end, and where the message is damaged (not ok()).
  bool next();
  std::uint64_t number() const { return number_; }
  Type type() const { return type_; }
  std::uint64_t integer() const { return integer_; }  // of varint, fixed64 and fixed32
  std::string_view bytes() const { return bytes_; }   // of bytes
  // These functions return the value if the field has this number and the type of the function.
  std::optional<std::string_view> bytes_of(std::uint64_t number) const;
  std::optional<double> double_of(std::uint64_t number) const;  // fixed64
  std::optional<double> float_of(std::uint64_t number) const;   // fixed32
  bool ok() const { return ok_; }

 private:
  bool take_varint(std::uint64_t& value);
  bool take_fixed(std::size_t size);

  std::string_view rest_;
  std::uint64_t number_ = 0;
  Type type_ = Type::varint;
  std::uint64_t integer_ = 0;
  std::string_view bytes_;
  bool ok_ = true;
};

/// Holds the time, the step and the scalars of one record of a TensorBoard event file
/// (tensorflow.Event). Tags are views into the record.
struct SummaryEvent {
  struct Scalar {
    std::string_view tag;
    double value = 0;
  };
  double wall_time = 0;  // seconds since 1970
  std::int64_t step = 0;
  std::vector<Scalar> scalars;
};

/// Returns the event of a record; nullopt if the record is not a message. Reads scalars that are a
/// simple_value (TensorFlow 1, PyTorch's SummaryWriter) or a tensor of one float or double
/// (TensorFlow 2).
std::optional<SummaryEvent> parse_summary_event(std::string_view record);

/// Reads a TensorBoard event file, or several that a run wrote one after another, piece by piece,
/// as LoggedScalars says.
class TensorboardReader : public LogReader {
 public:
  void feed(std::string_view piece) override;
  /// Returns the run, if there is a scalar.
  ImportedLog finish(const std::string& source) override;

 private:
  void take(std::string_view record);
  std::vector<std::string> problems() const;

  TfRecordReader records_;
  LoggedScalars scalars_;
  std::int64_t first_ns_ = 0;  // time of the first event that has one
  std::int64_t no_event_ = 0;  // records without an event, or without a time near first_ns_
};

}  // namespace lapcast
