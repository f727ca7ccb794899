#pragma once

#include <memory>
#include <vector>

#include "base/result.h"
#include "format/file_format.h"
#include "table/table.h"
#include "types/batch.h"

namespace braid {

/// The rows of data files with the values of the columns that the files hold descriptors of (`blob-descriptor-field`), or,
/// with `blob-as-descriptor`, with the descriptors as Java prints them. `fields`: of the batches. Batches are cut so that
/// such values take about 32 MiB at most, or are one row. Positions of rows are no longer told. Errors: those of
/// BlobSource.
Result<std::unique_ptr<BatchReader>> WithBlobValues(const Table& table, const std::vector<DataField>& fields,
                                                    std::unique_ptr<BatchReader> rows);

/// Refuses to read BLOB columns of a kind that only later versions of Paimon have. Errors: kUnsupported.
Status CheckBlobsAreReadable(const Table& table, const std::vector<DataField>& fields);

}  // namespace braid
