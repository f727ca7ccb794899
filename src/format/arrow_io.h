#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <arrow/io/type_fwd.h>
#include <arrow/type_fwd.h>

#include "base/result.h"
#include "io/file_system.h"

namespace braid {

/// Lets Arrow read one of our files. Failures of the storage come back through ArrowError with their own code and text.
std::shared_ptr<arrow::io::RandomAccessFile> MakeArrowInput(std::unique_ptr<InputFile> file);

/// Lets Arrow write to one of our files, which must outlive the stream; closing the stream does not close the file.
std::shared_ptr<arrow::io::OutputStream> MakeArrowOutput(OutputFile& file);

/// What Arrow was doing when it failed, which decides what its "invalid" means.
enum class ArrowTask {
  kReading,  ///< bytes of a file: they are damaged (kCorruption)
  kWriting,  ///< values of ours: a bug of ours (kInternal)
};

/// The error of a failed Arrow call on a file. Precondition: !status.ok().
///
/// An error of our own file system passes unchanged; else kUnsupported where Arrow lacks the feature, kUnavailable when
/// memory ran out, or what the task says.
Error ArrowError(const arrow::Status& status, ArrowTask task, std::string_view path);

// Evaluates an Arrow call that returns arrow::Status and returns its error from the enclosing function.
#define BRAID_ARROW_TRY(expression, task, path)                                      \
  do {                                                                               \
    const ::arrow::Status braid_arrow_status = (expression);                         \
    if (!braid_arrow_status.ok()) return ArrowError(braid_arrow_status, task, path); \
  } while (false)

// Evaluates an Arrow call that returns arrow::Result; returns its error or assigns its value.
#define BRAID_ARROW_TRY_ASSIGN(declaration, expression, task, path) \
  BRAID_ARROW_TRY_ASSIGN_INNER(BRAID_CONCAT(braid_arrow_result_, __LINE__), declaration, expression, task, path)
#define BRAID_ARROW_TRY_ASSIGN_INNER(result, declaration, expression, task, path) \
  auto result = (expression);                                                     \
  if (!result.ok()) return ArrowError(result.status(), task, path);               \
  declaration = std::move(result).ValueUnsafe()

}  // namespace braid
