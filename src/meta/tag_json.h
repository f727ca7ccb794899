#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "meta/snapshot.h"

namespace braid {

/// Reads a tag file (spec metadata.md §10.1); its name is the file's. Errors as ParseSnapshot's.
Result<Tag> ParseTag(std::string name, std::string_view text);

/// The file's content. Errors: kInvalidArgument if create_time or time_retained is not in its form.
Result<std::string> PrintTag(const Tag& tag);

}  // namespace braid
