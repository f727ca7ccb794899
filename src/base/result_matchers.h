#pragma once

// Matchers of Result and Status for tests; include only from tests.

#include <string>

#include <gmock/gmock.h>

#include "base/result.h"

namespace braid {

MATCHER(IsOk, negation ? "is an error" : "is no error") {
  if (arg) return true;
  *result_listener << "which is the error: " << arg.error().ToString();
  return false;
}

MATCHER_P(IsError, code, std::string("is an error of code ") + std::string(ErrorCodeName(code))) {
  if (arg) return false;
  *result_listener << "which is " << ErrorCodeName(arg.error().code()) << ": " << arg.error().ToString();
  return arg.error().code() == code;
}

MATCHER_P(HasId, id, std::string("is an error with the id ") + id) {
  if (arg) return false;
  *result_listener << "which has the id '" << arg.error().id() << "': " << arg.error().ToString();
  return arg.error().id() == id;
}

/// The rendered error, context and hint included, contains the text.
MATCHER_P(HasMessage, part, std::string("is an error that says: ") + part) {
  if (arg) return false;
  *result_listener << "which says: " << arg.error().ToString();
  return arg.error().ToString().find(part) != std::string::npos;
}

MATCHER_P(HasValue, matcher, "has a value that " + testing::DescribeMatcher<typename std::decay_t<arg_type>::value_type>(matcher)) {
  if (!arg) {
    *result_listener << "which is the error: " << arg.error().ToString();
    return false;
  }
  return testing::ExplainMatchResult(matcher, arg.value(), result_listener);
}

// Takes the value of a Result in a test, or fails the test with the error.
#define BRAID_ASSERT_OK_AND_ASSIGN(declaration, expression) \
  BRAID_ASSERT_OK_INNER(BRAID_CONCAT(braid_test_result_, __LINE__), declaration, expression)
#define BRAID_ASSERT_OK_INNER(result, declaration, expression) \
  auto result = (expression);                                  \
  ASSERT_THAT(result, ::braid::IsOk());                        \
  declaration = std::move(result).value()

}  // namespace braid
