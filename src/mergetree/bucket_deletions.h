#pragma once

#include <map>
#include <string>

#include "format/deletion_vector.h"

namespace braid {

/// The deletion vectors of a bucket by name of data file.
using BucketDeletions = std::map<std::string, DeletionVector>;

}  // namespace braid
