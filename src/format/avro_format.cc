#include "format/avro_format.h"

namespace braid {
namespace {

class AvroFormatImpl : public FileFormat {
 public:
  std::string_view identifier() const override { return "avro"; }
  Result<std::unique_ptr<FileReader>> OpenReader(const FileSystem& file_system, std::string_view path,
                                                 const FileReadRequest& request) const override {
    return OpenAvroReader(file_system, path, request);
  }
  Result<std::unique_ptr<FileWriter>> OpenWriter(FileSystem& file_system, std::string_view path,
                                                 std::span<const DataField> fields,
                                                 const Options& options) const override {
    return OpenAvroWriter(file_system, path, fields, options);
  }
};

}  // namespace

const FileFormat& AvroFormat() {
  static const AvroFormatImpl format;
  return format;
}

}  // namespace braid
