#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/avro_cursor.h"
#include "format/avro_schema.h"

namespace braid {

/// What a reader expects a field to hold.
enum class AvroShape : std::uint8_t {
  kInteger,       ///< int or long
  kBytes,         ///< bytes or string
  kRecord,        ///< a record that is always there; its fields become steps of the outer program
  kRecordOrNull,  ///< a record that may be absent; read by a program of its own
  kIntegers,      ///< array of int or long, whose items may be nullable
  kByteStrings,   ///< array of bytes or string
  kRecords,       ///< array of records, whose items may be nullable; read by a program of its own
};

/// A field that a reader knows. Writers may have more, fewer and others in any order: fields are matched by name.
struct AvroWanted {
  std::string_view name;
  AvroShape shape = AvroShape::kInteger;
  bool required = true;                     ///< neither absent from the schema nor null
  std::int32_t target = 0;                  ///< ≥ 0: what the reader calls the field; of no meaning for kRecord
  std::span<const AvroWanted> fields = {};  ///< of the record shapes
};

/// How to pass over a value of a step's node; the first three without looking at the schema.
enum class AvroSkip : std::uint8_t {
  kLong,   ///< int, long, enum
  kBytes,  ///< bytes, string
  kLongs,  ///< array of int or long, whose items may be nullable
  kAny,
};

/// One value in the order of the file.
struct AvroStep {
  static constexpr std::int32_t kSkip = -1;     ///< pass over the value
  static constexpr std::int32_t kNothing = -2;  ///< the value's own steps follow

  std::int32_t target = kSkip;    ///< AvroWanted::target, or one of the above
  std::int32_t node = 0;          ///< the writer's type, without its union
  std::int8_t null_branch = -1;   ///< the union's branch that is null; -1: none
  std::int8_t value_branch = -1;  ///< the union's branch of `node`; -1: the writer's type is no union
  std::int8_t item_null_branch = -1;
  std::int8_t item_value_branch = -1;
  AvroSkip skip = AvroSkip::kAny;
  bool required = false;
  std::int32_t program = -1;  ///< position in AvroProgram::programs for kRecordOrNull and kRecords

  /// Reads the union's branch, if there is one: whether a value follows.
  bool Enter(AvroCursor& cursor) const {
    return value_branch < 0 || EnterUnion(cursor, null_branch, value_branch, required);
  }
  /// The same for one item of an array.
  bool EnterItem(AvroCursor& cursor) const {
    return item_value_branch < 0 || EnterUnion(cursor, item_null_branch, item_value_branch, false);
  }

 private:
  static bool EnterUnion(AvroCursor& cursor, std::int8_t null_branch, std::int8_t value_branch, bool required) {
    const std::int64_t branch = cursor.Long();
    if (branch == value_branch) return cursor.ok();
    if (branch != null_branch) cursor.Fail("a union has no such branch");
    if (required) cursor.Fail("a value that must be there is null");
    return false;
  }
};

/// How to read records of one writer's schema: made once a schema, then followed once a record without any look-up.
/// Immutable; any thread.
struct AvroProgram {
  std::shared_ptr<const AvroSchema> schema;
  std::vector<AvroStep> steps;
  std::vector<AvroProgram> programs;

  /// Matches a writer's schema with what is wanted of its records. The schema may also be ["null", record] at the top
  /// (spec metadata.md §4.1). Errors: kCorruption, naming a field that is missing or of another type.
  static Result<AvroProgram> Make(std::shared_ptr<const AvroSchema> schema, std::span<const AvroWanted> wanted);

  /// Passes over what remains of a record from a step on.
  void SkipFrom(std::size_t step, AvroCursor& cursor) const {
    for (; step < steps.size(); ++step) {
      if (steps[step].Enter(cursor) && steps[step].target != AvroStep::kNothing) SkipValue(steps[step], cursor);
    }
  }
  /// Passes over a step's value, once its union is entered.
  void SkipValue(const AvroStep& step, AvroCursor& cursor) const {
    switch (step.skip) {
      case AvroSkip::kLong: return cursor.SkipLong();
      case AvroSkip::kBytes: cursor.Bytes(); return;
      case AvroSkip::kLongs:
        while (const std::size_t count = cursor.ItemCount()) {
          for (std::size_t i = 0; i < count && cursor.ok(); ++i) {
            if (step.EnterItem(cursor)) cursor.SkipLong();
          }
        }
        return;
      case AvroSkip::kAny: cursor.Skip(*schema, step.node);
    }
  }
};

}  // namespace braid
