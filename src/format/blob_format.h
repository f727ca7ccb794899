#pragma once

#include <cstdint>

#include "format/file_format.h"

namespace braid {

/// Files of one BLOB column (spec data.md §2.7). They hold no names: a reader gives the values to whatever column it is
/// asked for. Batches are cut so that their values take about 32 MiB at most, or are one row. Not among the formats that
/// tables choose from: `.blob` files stand beside data files of other formats.
///
/// Errors of reading: kCorruption, also for a value that is not what its check sum says; kUnsupported for rows whose
/// value lies in an older file.
const FileFormat& BlobFormat();
/// The same files, read as serialized BlobDescriptors of the values, which are not looked at.
const FileFormat& BlobDescriptorFormat();

/// Bytes of a record before its value, and in all besides its value.
inline constexpr std::int64_t kBlobRecordHeadBytes = 4;
inline constexpr std::int64_t kBlobRecordExtraBytes = 16;

}  // namespace braid
