#include "format/avro_program.h"

#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace braid {
namespace {

/// A type with its union, if it has one, taken apart.
struct Branches {
  std::int32_t node = 0;
  std::int8_t null_branch = -1;
  std::int8_t value_branch = -1;
};

class Resolver {
 public:
  explicit Resolver(std::shared_ptr<const AvroSchema> schema) : schema_(std::move(schema)) {}

  Result<AvroProgram> ResolveRecord(std::int32_t record, std::span<const AvroWanted> wanted, const std::string& path) {
    AvroProgram program;
    program.schema = schema_;
    BRAID_TRY(AddRecord(record, wanted, path, program));
    return program;
  }

  Status AddRecord(std::int32_t record, std::span<const AvroWanted> wanted, const std::string& path,
                   AvroProgram& program) {
    const AvroNode& node = schema_->node(record);
    std::vector<bool> found(wanted.size(), false);
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      const std::optional<std::size_t> match = Find(wanted, node.names[i]);
      if (!match || found[*match]) {
        program.steps.push_back({.node = node.children[i], .skip = SkipOf(schema_->node(node.children[i]).kind)});
        continue;
      }
      found[*match] = true;
      BRAID_TRY(AddField(node.children[i], wanted[*match], path + std::string(wanted[*match].name), program));
    }
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (!found[i] && wanted[i].required) {
        return Error(ErrorCode::kCorruption, fmt::format("its records have no field {}{}", path, wanted[i].name));
      }
    }
    return Ok();
  }

  std::optional<Branches> TakeApart(std::int32_t position) const {
    const AvroNode& node = schema_->node(position);
    if (node.kind != AvroKind::kUnion) return Branches{.node = position};
    Branches branches;
    for (std::size_t i = 0; i < node.children.size() && i < 2; ++i) {
      const bool is_null = schema_->node(node.children[i]).kind == AvroKind::kNull;
      (is_null ? branches.null_branch : branches.value_branch) = static_cast<std::int8_t>(i);
      if (!is_null) branches.node = node.children[i];
    }
    const bool one_value = branches.value_branch >= 0 && node.children.size() == (branches.null_branch >= 0 ? 2U : 1U);
    if (!one_value || schema_->node(branches.node).kind == AvroKind::kUnion) return std::nullopt;
    return branches;
  }

 private:
  static std::optional<std::size_t> Find(std::span<const AvroWanted> wanted, std::string_view name) {
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (wanted[i].name == name) return i;
    }
    return std::nullopt;
  }

  Status AddField(std::int32_t position, const AvroWanted& wanted, const std::string& path, AvroProgram& program) {
    const std::optional<Branches> branches = TakeApart(position);
    if (!branches) return Mismatch(path, "a union of several types");
    const AvroNode& node = schema_->node(branches->node);
    AvroStep step{.target = wanted.target,
                  .node = branches->node,
                  .null_branch = branches->null_branch,
                  .value_branch = branches->value_branch,
                  .skip = SkipOf(node.kind),
                  .required = wanted.required};
    switch (wanted.shape) {
      case AvroShape::kInteger:
      case AvroShape::kBytes:
        if (!Holds(wanted.shape, node.kind)) return Mismatch(path, AvroKindName(node.kind));
        break;
      case AvroShape::kRecord:
        if (node.kind != AvroKind::kRecord) return Mismatch(path, AvroKindName(node.kind));
        step.target = AvroStep::kNothing;
        step.required = true;
        program.steps.push_back(step);
        return AddRecord(branches->node, wanted.fields, path + ".", program);
      case AvroShape::kRecordOrNull:
        if (node.kind != AvroKind::kRecord) return Mismatch(path, AvroKindName(node.kind));
        BRAID_TRY(AddProgram(branches->node, wanted, path, step, program));
        break;
      case AvroShape::kIntegers:
      case AvroShape::kByteStrings:
      case AvroShape::kRecords: BRAID_TRY(ResolveItems(node, wanted, path, step, program)); break;
    }
    program.steps.push_back(step);
    return Ok();
  }

  Status ResolveItems(const AvroNode& array, const AvroWanted& wanted, const std::string& path, AvroStep& step,
                      AvroProgram& program) {
    if (array.kind != AvroKind::kArray) return Mismatch(path, AvroKindName(array.kind));
    const std::optional<Branches> branches = TakeApart(array.children[0]);
    if (!branches) return Mismatch(path, "an array of a union of several types");
    step.item_null_branch = branches->null_branch;
    step.item_value_branch = branches->value_branch;
    const AvroNode& item = schema_->node(branches->node);
    if (wanted.shape == AvroShape::kRecords) {
      if (item.kind != AvroKind::kRecord || !item.takes_bytes)
        return Mismatch(path, "an array of other things than records");
      return AddProgram(branches->node, wanted, path, step, program);
    }
    const AvroShape shape = wanted.shape == AvroShape::kIntegers ? AvroShape::kInteger : AvroShape::kBytes;
    if (!Holds(shape, item.kind)) return Mismatch(path, fmt::format("an array of {}", AvroKindName(item.kind)));
    if (shape == AvroShape::kInteger) step.skip = AvroSkip::kLongs;
    return Ok();
  }

  Status AddProgram(std::int32_t record, const AvroWanted& wanted, const std::string& path, AvroStep& step,
                    AvroProgram& program) {
    BRAID_TRY_ASSIGN(AvroProgram inner, ResolveRecord(record, wanted.fields, path + "."));
    step.program = static_cast<std::int32_t>(program.programs.size());
    program.programs.push_back(std::move(inner));
    return Ok();
  }

  static AvroSkip SkipOf(AvroKind kind) {
    if (kind == AvroKind::kInt || kind == AvroKind::kLong || kind == AvroKind::kEnum) return AvroSkip::kLong;
    return kind == AvroKind::kBytes || kind == AvroKind::kString ? AvroSkip::kBytes : AvroSkip::kAny;
  }

  static bool Holds(AvroShape shape, AvroKind kind) {
    if (shape == AvroShape::kInteger) return kind == AvroKind::kInt || kind == AvroKind::kLong;
    return kind == AvroKind::kBytes || kind == AvroKind::kString;
  }

  static Error Mismatch(const std::string& path, std::string_view type) {
    return {ErrorCode::kCorruption, fmt::format("its field {} is of an unexpected type, {}", path, type)};
  }

  std::shared_ptr<const AvroSchema> schema_;
};

}  // namespace

Result<AvroProgram> AvroProgram::Make(std::shared_ptr<const AvroSchema> schema, std::span<const AvroWanted> wanted) {
  Resolver resolver(schema);
  const std::optional<Branches> top = resolver.TakeApart(schema->root());
  if (!top || schema->node(top->node).kind != AvroKind::kRecord || !schema->node(top->node).takes_bytes) {
    return Error(ErrorCode::kCorruption, "its schema is not that of a record");
  }
  AvroProgram program;
  program.schema = schema;
  if (top->value_branch >= 0) {
    program.steps.push_back({.target = AvroStep::kNothing,
                             .node = top->node,
                             .null_branch = top->null_branch,
                             .value_branch = top->value_branch,
                             .required = true});
  }
  BRAID_TRY(resolver.AddRecord(top->node, wanted, "", program));
  return program;
}

}  // namespace braid
