#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/avro_container.h"
#include "meta/manifest.h"
#include "meta/manifest_scan.h"

namespace braid {

// The Avro form of manifest lists, manifests and index manifests (spec metadata.md §4.2, 4.3, 7.1). Fields are matched
// by name; those that a file lacks are left out of the value, those that we do not know are passed over. Errors of the
// decoders: kCorruption with the offset, not naming the file; kUnsupported for records of Paimon before 0.2.

Result<std::vector<ManifestFileMeta>> DecodeManifestList(const AvroContainer& container);
/// Calls `visit` as ManifestScanner::VisitBlocks does. Precondition: first ≤ last ≤ container.blocks().size().
Status DecodeManifest(const AvroContainer& container, std::size_t first, std::size_t last, const ManifestFilter& filter,
                      const std::function<void(ManifestEntry&)>& visit);
Result<std::vector<IndexManifestEntry>> DecodeIndexManifest(const AvroContainer& container);

// The schemas that we write, letter by letter those of Java.
extern const std::string_view kManifestListSchema;
extern const std::string_view kManifestSchema;
extern const std::string_view kIndexManifestSchema;

// Append one record of the schema above.
void EncodeManifestFileMeta(const ManifestFileMeta& meta, std::string& out);
void EncodeManifestEntry(const ManifestEntry& entry, std::string& out);
void EncodeIndexManifestEntry(const IndexManifestEntry& entry, std::string& out);

}  // namespace braid
