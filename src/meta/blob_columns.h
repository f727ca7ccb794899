#pragma once

#include <set>
#include <string>

#include "base/options.h"
#include "base/result.h"
#include "meta/table_schema.h"

namespace braid {

/// How a table keeps the values of its BLOB columns. Those that neither set names lie in `.blob` files of the table.
struct BlobColumns {
  /// `blob-descriptor-field`: data files hold serialized BlobDescriptors of them.
  std::set<std::string> described;
  /// `blob-external-storage-field`: those of `described` whose values writers put into files below `external_path`.
  std::set<std::string> external;
  /// `blob-external-storage-path`, without a trailing '/'; empty: none.
  std::string external_path;

  explicit BlobColumns(const Options& options);

  /// Whether the column's values have files of their own among the table's.
  bool HasOwnFiles(const DataField& field) const;
  bool IsDescribed(const DataField& field) const;
};

/// The columns of `blob-field`: those that statements make BLOB columns of, where they say BYTES.
std::set<std::string> BlobFields(const Options& options);

/// Whether the options of BLOB columns fit the columns, as Java asks. Errors: kInvalidArgument.
Status CheckBlobColumns(const TableSchema& schema);

}  // namespace braid
