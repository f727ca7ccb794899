#include "meta/blob_columns.h"

#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/option_lists.h"
#include "base/text.h"

namespace braid {

namespace {

constexpr std::string_view kDescribed = "blob-descriptor-field";
constexpr std::string_view kFormerlyDescribed = "blob.stored-descriptor-fields";
constexpr std::string_view kExternal = "blob-external-storage-field";
constexpr std::string_view kExternalPath = "blob-external-storage-path";

std::set<std::string> NamesIn(std::string_view list) {
  std::set<std::string> names;
  for (std::string& name : ParseList(list)) {
    if (!name.empty()) names.insert(std::move(name));
  }
  return names;
}

Error Invalid(std::string message) {
  return Error(ErrorCode::kInvalidArgument, std::move(message));
}

Status CheckAreBlobs(const TableSchema& schema, const std::set<std::string>& names, std::string_view option) {
  for (const std::string& name : names) {
    const DataField* field = schema.FindColumn(name);
    if (field == nullptr || field->type.kind() != TypeKind::kBlob) {
      return Invalid(fmt::format("option '{}' names '{}', which is no BLOB column", option, name));
    }
  }
  return Ok();
}

}  // namespace

BlobColumns::BlobColumns(const Options& options)
    : described(NamesIn(options.Get(kDescribed, options.Get(kFormerlyDescribed, "")))),
      external(NamesIn(options.Get(kExternal, ""))),
      external_path(Trim(options.Get(kExternalPath, ""))) {
  while (external_path.size() > 1 && external_path.ends_with('/')) external_path.pop_back();
}

bool BlobColumns::HasOwnFiles(const DataField& field) const {
  return field.type.kind() == TypeKind::kBlob && !described.contains(field.name);
}

bool BlobColumns::IsDescribed(const DataField& field) const {
  return field.type.kind() == TypeKind::kBlob && described.contains(field.name);
}

std::set<std::string> BlobFields(const Options& options) {
  return NamesIn(options.Get("blob-field", ""));
}

Status CheckBlobColumns(const TableSchema& schema) {
  const BlobColumns columns(schema.options);
  BRAID_TRY(CheckAreBlobs(schema, columns.described, kDescribed));
  BRAID_TRY(CheckAreBlobs(schema, columns.external, kExternal));
  for (const std::string& name : columns.external) {
    if (!columns.described.contains(name)) {
      return Invalid(fmt::format("option '{}' names '{}', which '{}' does not", kExternal, name, kDescribed));
    }
  }
  if (!columns.external.empty() && columns.external_path.empty()) {
    return Invalid(fmt::format("option '{}' needs '{}'", kExternal, kExternalPath));
  }
  return Ok();
}

}  // namespace braid
