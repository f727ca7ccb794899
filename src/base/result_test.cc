#include "base/result.h"

#include <memory>

#include <gtest/gtest.h>

#include "base/result_matchers.h"

namespace braid {
namespace {

Result<int> Half(int value) {
  if (value % 2 != 0) return Error(ErrorCode::kInvalidArgument, "the number is odd");
  return value / 2;
}

Result<int> Quarter(int value) {
  BRAID_TRY_ASSIGN(const int half, Half(value).Context("while halving"));
  return Half(half);
}

TEST(ResultTest, CarriesAValueOrAnError) {
  EXPECT_THAT(Quarter(12), HasValue(3));
  EXPECT_THAT(Quarter(6), IsError(ErrorCode::kInvalidArgument));
}

TEST(ResultTest, RendersContextInnermostFirstAndTheHintLast) {
  const Error error = Error(ErrorCode::kIo, "cannot read a").Context("while b").Context("while c").Hint("do d");
  EXPECT_EQ(error.ToString(), "cannot read a\n  while b\n  while c\n  try: do d");
}

TEST(ResultTest, AddsContextOnlyOnTheWayThroughAFailure) {
  EXPECT_THAT(Quarter(3), HasMessage("the number is odd\n  while halving"));
}

TEST(ResultTest, KeepsItsIdOnTheWayUp) {
  const Status failed = Status(Error(ErrorCode::kIo, "no disk").Id("disk.gone").Hint("buy one")).Context("while saving");
  EXPECT_THAT(failed, HasId("disk.gone"));
  EXPECT_EQ(failed.error().ToString(), "no disk\n  while saving\n  try: buy one");
  EXPECT_THAT(Quarter(6), HasId(""));
}

TEST(ResultTest, HoldsTypesThatOnlyMove) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(7);
  ASSERT_THAT(result, IsOk());
  const std::unique_ptr<int> moved = *std::move(result);
  EXPECT_EQ(*moved, 7);
}

}  // namespace
}  // namespace braid
