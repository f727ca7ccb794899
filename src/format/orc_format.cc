#include "format/orc_format.h"

namespace braid {
namespace {

class OrcFormatImpl : public FileFormat {
 public:
  std::string_view identifier() const override { return "orc"; }
  Result<std::unique_ptr<FileReader>> OpenReader(const FileSystem& file_system, std::string_view path,
                                                 const FileReadRequest& request) const override {
    return OpenOrcReader(file_system, path, request);
  }
  Result<std::unique_ptr<FileWriter>> OpenWriter(FileSystem& file_system, std::string_view path,
                                                 std::span<const DataField> fields,
                                                 const Options& options) const override {
    return OpenOrcWriter(file_system, path, fields, options);
  }
};

}  // namespace

const FileFormat& OrcFormat() {
  static const OrcFormatImpl format;
  return format;
}

}  // namespace braid
