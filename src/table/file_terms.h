#pragma once

#include "meta/manifest.h"
#include "meta/table_schema.h"
#include "types/predicate.h"

namespace braid {

/// The file's field for a column of the table, or nullptr if the file was written without it. Found by id, so that a
/// renamed column is the same one and a new one of an old name is not.
const DataField* FileFieldOf(const DataField& field, const TableSchema& file_schema, const DataFileMeta& file);

/// A condition on the table's columns in the file's names and types, as far as it can be said there with the same meaning;
/// nullptr if not at all. What it says of columns that the file lacks, that had another type, or that are partition
/// columns is left out, so rows that do not match may pass it.
PredicatePtr InFileTerms(const PredicatePtr& condition, const TableSchema& schema, const TableSchema& file_schema,
                         const DataFileMeta& file);

}  // namespace braid
