#pragma once

// What the connectors of this folder share. A new connector is a file with a function of the type OpenConnector, and a
// line in connectors.cc.

#include <initializer_list>
#include <memory>
#include <string_view>

#include "base/clock.h"
#include "sql/connector.h"

namespace braid {

using OpenConnector = Result<std::shared_ptr<const ConnectorTable>> (*)(const ConnectorTableDefinition& definition,
                                                                        const Clock& clock);

Result<std::shared_ptr<const ConnectorTable>> OpenBlackhole(const ConnectorTableDefinition& definition,
                                                            const Clock& clock);
Result<std::shared_ptr<const ConnectorTable>> OpenDatagen(const ConnectorTableDefinition& definition,
                                                          const Clock& clock);
Result<std::shared_ptr<const ConnectorTable>> OpenFilesystem(const ConnectorTableDefinition& definition,
                                                             const Clock& clock);
Result<std::shared_ptr<const ConnectorTable>> OpenPrint(const ConnectorTableDefinition& definition, const Clock& clock);

/// Whether every option is one of `known`, or begins with one that ends in '.'; `connector` always is.
/// Errors: kInvalidArgument naming the option and the nearest one.
Status CheckOptionNames(const ConnectorTableDefinition& definition, std::initializer_list<std::string_view> known);
/// Errors: kUnsupported if the table has partition keys.
Status RefusePartitions(const ConnectorTableDefinition& definition);
/// For a connector that cannot be read, or not be written.
Error NotReadable(std::string_view connector);
Error NotWritable(std::string_view connector);

/// Where a filesystem table writes.
struct FileSinkTarget {
  std::string directory;
  std::string writer;  ///< part of the names of the files
};
class RowFormat;
std::unique_ptr<ConnectorSink> MakeFileSink(std::shared_ptr<const RowFormat> format, FileSinkTarget target);

}  // namespace braid
