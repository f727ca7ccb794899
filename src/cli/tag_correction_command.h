#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "table/operation.h"

namespace CLI {
class App;
}

namespace braid {

/// How a tag is made to show what a branch made of it.
struct TagCorrectionArguments {
  std::string tag;
  std::string from_branch;
  std::int64_t snapshot = 0;  // of the branch; 0: its latest
  bool no_backup = false;
  bool allow_unrelated = false;
  bool assume_exclusive = false;
  bool dry_run = false;
};

/// Adds all but the tag's name and the snapshot.
void AddTagCorrection(CLI::App& command, TagCorrectionArguments& arguments);
Status CorrectTagOf(const OperationContext& context, const TagCorrectionArguments& arguments, bool as_json);

}  // namespace braid
