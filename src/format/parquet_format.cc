#include "format/parquet_format.h"

namespace braid {
namespace {

class ParquetFormatImpl : public FileFormat {
 public:
  std::string_view identifier() const override { return "parquet"; }
  Result<std::unique_ptr<FileReader>> OpenReader(const FileSystem& file_system, std::string_view path,
                                                 const FileReadRequest& request) const override {
    return OpenParquetReader(file_system, path, request);
  }
  Result<std::vector<RowGroup>> RowGroups(const FileSystem& file_system, std::string_view path,
                                          const DataField& column) const override {
    return ReadParquetRowGroups(file_system, path, column);
  }
  Result<std::unique_ptr<FileWriter>> OpenWriter(FileSystem& file_system, std::string_view path,
                                                 std::span<const DataField> fields,
                                                 const Options& options) const override {
    return OpenParquetWriter(file_system, path, fields, options);
  }
};

}  // namespace

const FileFormat& ParquetFormat() {
  static const ParquetFormatImpl format;
  return format;
}

}  // namespace braid
