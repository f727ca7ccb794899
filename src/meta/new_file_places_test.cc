#include "meta/new_file_places.h"

#include <set>

#include <gtest/gtest.h>

#include "base/result_matchers.h"

namespace braid {
namespace {

Options Given(Options::Map values) {
  return Options(std::move(values));
}

TEST(NewFilePlacesTest, IsTheBucketsFolderUnlessAStrategySaysOtherwise) {
  for (const Options& options :
       {Given({}), Given({{"data-file.external-paths", "file:/x"}}),
        Given({{"data-file.external-paths", "file:/x"}, {"data-file.external-paths.strategy", "none"}}),
        Given({{"data-file.external-paths.strategy", "round-robin"}})}) {
    BRAID_ASSERT_OK_AND_ASSIGN(const auto places, NewFilePlaces::Make(options, "/w/t", "p=1/bucket-0"));
    EXPECT_TRUE(places->are_inside());
    const NewFilePlaces::Place place = places->Next("data-1.orc");
    EXPECT_EQ(place.path, "/w/t/p=1/bucket-0/data-1.orc");
    EXPECT_EQ(place.external_path, std::nullopt);
  }
}

TEST(NewFilePlacesTest, TakesTheRootsInTurnsAsJavaPrintsThem) {
  BRAID_ASSERT_OK_AND_ASSIGN(const auto places,
                             NewFilePlaces::Make(Given({{"data-file.external-paths", "FILE:///x//y/, file:/z"},
                                                        {"data-file.external-paths.strategy", "round-robin"}}),
                                                 "/w/t", "bucket-0"));
  std::vector<std::string> paths;
  for (int i = 0; i < 4; ++i) {
    const NewFilePlaces::Place place = places->Next("f");
    EXPECT_EQ(place.external_path, place.path);
    paths.push_back(place.path);
  }
  EXPECT_EQ(paths[0], paths[2]);
  EXPECT_EQ(paths[1], paths[3]);
  EXPECT_EQ(std::set<std::string>(paths.begin(), paths.end()),
            (std::set<std::string>{"FILE:/x/y/bucket-0/f", "file:/z/bucket-0/f"}));
}

TEST(NewFilePlacesTest, OfASpecificFileSystemTakesItsRootsAlone) {
  BRAID_ASSERT_OK_AND_ASSIGN(const auto places,
                             NewFilePlaces::Make(Given({{"data-file.external-paths", "oss://b/a,S3://c/d/"},
                                                        {"data-file.external-paths.strategy", "specific-fs"},
                                                        {"data-file.external-paths.specific-fs", "s3"}}),
                                                 "s3://w/t", "bucket-3"));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(places->Next("f").path, "S3://c/d/bucket-3/f");
}

TEST(NewFilePlacesTest, WeightsSayHowOftenARootIsTaken) {
  BRAID_ASSERT_OK_AND_ASSIGN(const auto places,
                             NewFilePlaces::Make(Given({{"data-file.external-paths", "file:/x,file:/y"},
                                                        {"data-file.external-paths.strategy", "weight-robin"},
                                                        {"data-file.external-paths.weights", "1, 9"}}),
                                                 "/w/t", "bucket-0"));
  int often = 0;
  for (int i = 0; i < 10'000; ++i) often += places->Next("f").path.starts_with("file:/y") ? 1 : 0;
  EXPECT_GT(often, 8'700);  // ten standard deviations
  EXPECT_LT(often, 9'300);
}

TEST(NewFilePlacesTest, EntropyIsTheHashOfTheName) {
  // Known values of Murmur3: 0x248bfa47 and 0x2e4ff723, of which the last 20 bits.
  EXPECT_EQ(EntropyFolders("hello"), "1011/1111/1010/01000111");
  EXPECT_EQ(EntropyFolders("The quick brown fox jumps over the lazy dog"), "1111/1111/0111/00100011");
  BRAID_ASSERT_OK_AND_ASSIGN(const auto places,
                             NewFilePlaces::Make(Given({{"data-file.external-paths", "file:/x"},
                                                        {"data-file.external-paths.strategy", "entropy-inject"}}),
                                                 "/w/t", "bucket-0"));
  EXPECT_EQ(places->Next("hello").external_path, "file:/x/bucket-0/1011/1111/1010/01000111/hello");
  EXPECT_TRUE(IsEntropyFolder("0101"));
  EXPECT_FALSE(IsEntropyFolder("bucket-0"));
}

TEST(NewFilePlacesTest, RefusesWhatItCannotFollow) {
  const auto make = [](Options::Map values) {
    return NewFilePlaces::Make(Given(std::move(values)), "/w/t", "bucket-0");
  };
  EXPECT_THAT(make({{"data-file.external-paths", "/x"}, {"data-file.external-paths.strategy", "round-robin"}}),
              IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(make({{"data-file.external-paths", "s3://b/x"}, {"data-file.external-paths.strategy", "round-robin"}}),
              IsError(ErrorCode::kUnsupported));
  EXPECT_THAT(make({{"data-file.external-paths", "file:/x"}, {"data-file.external-paths.strategy", "any"}}),
              IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(make({{"data-file.external-paths", "file:/x"}, {"data-file.external-paths.strategy", "specific-fs"}}),
              IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(make({{"data-file.external-paths", "file:/x"},
                    {"data-file.external-paths.strategy", "weight-robin"},
                    {"data-file.external-paths.weights", "1,2"}}),
              IsError(ErrorCode::kInvalidArgument));
}

}  // namespace
}  // namespace braid
