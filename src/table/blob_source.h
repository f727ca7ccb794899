#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "format/blob_descriptor.h"
#include "io/file_system.h"
#include "table/table.h"

namespace braid {

/// Reads the values that descriptors name. Keeps the last file open. One thread.
class BlobSource {
 public:
  /// Values that the table itself refers to. They lie in its own storage.
  static BlobSource OfTable(const Table& table) { return BlobSource(table, /*reads_local=*/false); }
  /// Values that somebody inserts. They may lie among the machine's own files, too.
  static BlobSource OfInput(const Table& table) { return BlobSource(table, /*reads_local=*/true); }

  /// How long the value is, in bytes. Errors: kUnsupported for another storage, by its name, and for 2 GiB and more;
  /// kCorruption if the file ends before the value does; those of opening the file.
  Result<std::int64_t> SizeOf(const BlobDescriptor& descriptor);
  /// Its bytes. Errors: those of SizeOf.
  Result<std::string> Read(const BlobDescriptor& descriptor);

 private:
  BlobSource(Table table, bool reads_local) : table_(std::move(table)), reads_local_(reads_local) {}

  Status Open(const std::string& uri);

  Table table_;
  bool reads_local_;
  std::string uri_;  // of the open file
  std::unique_ptr<InputFile> file_;
};

/// Whether an address lies in the storage that the table lies in.
bool IsInStorageOf(const Table& table, std::string_view uri);

}  // namespace braid
