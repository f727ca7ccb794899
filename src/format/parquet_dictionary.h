#pragma once

#include <arrow/type_fwd.h>

namespace braid {

/// Whether a dictionary makes a column smaller, to judge by these values, the first of the file: Java's rule for the
/// first page of a column. Building a dictionary that does not pay costs more time than all the rest of the encoding.
/// True for types that this does not look into (nested ones, BOOLEAN).
bool DictionaryPays(const arrow::Array& values);

}  // namespace braid
