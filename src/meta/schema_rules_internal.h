#pragma once

#include <string>
#include <vector>

#include "base/options.h"
#include "base/result.h"
#include "meta/table_schema.h"

namespace braid {

// Parts of NewTableSchema, Apply and ValidateSchema.

/// Moves the options `primary-key` and `partition` to the keys and makes key columns NOT NULL, as Java's Schema does.
/// Errors: kInvalidArgument if keys are given in both ways, and differ.
Status NormalizeKeys(std::vector<DataField>& fields, std::vector<std::string>& partition_keys,
                     std::vector<std::string>& primary_keys, Options& options);

/// Rules about names, keys and types of columns.
Status CheckColumnsAndKeys(const TableSchema& schema);
/// Rules about options, and about options and columns together.
Status CheckOptions(const TableSchema& schema);

/// Fails with kInvalidArgument unless the text can be read as a value of the type.
Status CheckDefaultValue(const DataField& field);

/// Whether ALTER TABLE may set or reset an option of a table that has a snapshot (spec metadata.md §2.8).
/// `value` is nullopt to reset. Errors: kInvalidArgument.
Status CheckOptionChange(const Options& options, const std::string& key, const std::optional<std::string>& value);

/// The options after a column was renamed: those that name columns follow (spec metadata.md §2.6).
Options RenameColumnInOptions(const Options& options, const std::string& from, const std::string& to);

/// Parts between commas, as Java's String.split: not trimmed, empty ones at the end left out.
std::vector<std::string> SplitNames(const std::string& text);

}  // namespace braid
