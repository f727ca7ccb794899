#include "table/partition_done.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <future>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "table/table_testing.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::StartsWith;

// Gives these answers to one request after the other, each over a connection of its own.
class TestServer {
 public:
  explicit TestServer(std::vector<std::string> answers) : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    EXPECT_EQ(listen(socket_, 8), 0);
    socklen_t size = sizeof(address);
    EXPECT_EQ(getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
    requests_ = std::async(std::launch::async, [socket = socket_, answers = std::move(answers)] {
      std::vector<std::string> requests;
      for (const std::string& answer : answers) requests.push_back(Serve(accept(socket, nullptr, nullptr), answer));
      close(socket);
      return requests;
    });
  }

  std::string url() const { return fmt::format("http://127.0.0.1:{}/done", port_); }
  // Waits until all answers were given.
  std::vector<std::string> Requests() { return requests_.get(); }

 private:
  static std::string Serve(int connection, const std::string& answer) {
    std::string request;
    while (!request.ends_with('}')) {
      char bytes[4096];
      const ssize_t count = recv(connection, bytes, sizeof(bytes), 0);
      if (count <= 0) break;
      request.append(bytes, static_cast<std::size_t>(count));
    }
    EXPECT_EQ(send(connection, answer.data(), answer.size(), 0), static_cast<ssize_t>(answer.size()));
    close(connection);
    return request;
  }

  int socket_;
  int port_ = 0;
  std::future<std::vector<std::string>> requests_;
};

class PartitionDoneTest : public testing::Test {
 protected:
  Result<Table> Make(Options::Map options = {}) {
    return CreateTestTable(
        fs_, TestDefinition({{"k", DataType::Int()}, {"dt", DataType::String()}}, {}, std::move(options), {"dt"}));
  }
  Result<std::string> Marker(const std::string& folder) {
    return fs_->ReadAll(JoinPath(JoinPath(kTestTableRoot, folder), "_SUCCESS"));
  }

  std::shared_ptr<MemoryFileSystem> fs_ = std::make_shared<MemoryFileSystem>();
};

TEST_F(PartitionDoneTest, WritesAMarkerWhichKeepsItsFirstTime) {
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table, Make());
  ASSERT_THAT(Insert(table, {{1, "a"}, {2, "b/c"}, {3, "d"}}), IsOk());
  const PredicatePtr not_d = Predicate::Leaf(Predicate::Op::kNotEqual, "dt", DataType::String(), {"d"});
  ManualClock clock(1000);
  EXPECT_THAT(MarkPartitionsDone(table, not_d, /*dry_run=*/true, clock), HasValue(ElementsAre("dt=a", "dt=b%2Fc")));
  EXPECT_THAT(Marker("dt=a"), IsError(ErrorCode::kNotFound));
  EXPECT_THAT(MarkPartitionsDone(table, not_d, /*dry_run=*/false, clock), HasValue(ElementsAre("dt=a", "dt=b%2Fc")));
  EXPECT_THAT(Marker("dt=b%2Fc"), HasValue("{\n  \"creationTime\" : 1000,\n  \"modificationTime\" : 1000\n}"));
  EXPECT_THAT(Marker("dt=d"), IsError(ErrorCode::kNotFound));
  clock.Advance(500);
  ASSERT_THAT(MarkPartitionsDone(table, nullptr, /*dry_run=*/false, clock), IsOk());
  EXPECT_THAT(Marker("dt=a"), HasValue("{\n  \"creationTime\" : 1000,\n  \"modificationTime\" : 1500\n}"));
  EXPECT_THAT(Marker("dt=d"), HasValue("{\n  \"creationTime\" : 1500,\n  \"modificationTime\" : 1500\n}"));
  EXPECT_THAT(FindLatestSnapshot(*fs_, table.paths()), HasValue(SnapshotId(1))) << "no snapshot is made";
  ASSERT_THAT(fs_->Replace(JoinPath(JoinPath(kTestTableRoot, "dt=a"), "_SUCCESS"), "damaged"), IsOk());
  ASSERT_THAT(MarkPartitionsDone(table, nullptr, /*dry_run=*/false, clock), IsOk());
  EXPECT_THAT(Marker("dt=a"), HasValue("{\n  \"creationTime\" : 1500,\n  \"modificationTime\" : 1500\n}"));
}

TEST_F(PartitionDoneTest, TellsAServer) {
  const std::vector<std::string> answers = {
      "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n{\"result\":\"success\"}",
      "HTTP/1.1 200 OK\r\nContent-Length: 17\r\n\r\n{\"result\":\"FAIL\"}",
      "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfine",
      "HTTP/1.1 500 Oh\r\nContent-Length: 20\r\n\r\n{\"result\":\"SUCCESS\"}",
  };
  TestServer server(answers);
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table, Make({{"partition.mark-done-action", "http-report,success-file"},
                                                      {"partition.mark-done-action.http.url", server.url()},
                                                      {"partition.mark-done-action.http.params", "team=\"a\""}}));
  ASSERT_THAT(Insert(table, {{1, "a/b"}}), IsOk());
  const ManualClock clock(1000);
  EXPECT_THAT(MarkPartitionsDone(table, nullptr, /*dry_run=*/false, clock), IsOk());
  EXPECT_THAT(Marker("dt=a%2Fb"), IsOk());
  for (std::size_t i = 1; i < answers.size(); ++i) {
    EXPECT_THAT(MarkPartitionsDone(table, nullptr, /*dry_run=*/false, clock), IsError(ErrorCode::kIo)) << answers[i];
  }
  const std::vector<std::string> requests = server.Requests();
  ASSERT_EQ(requests.size(), answers.size());
  EXPECT_THAT(requests[0], StartsWith("POST /done HTTP/1.1\r\n"));
  EXPECT_THAT(requests[0], EndsWith("\r\n\r\n" R"({"params":"team=\"a\"","table":"d.t","path":"/warehouse/d.db/t","partition":"dt=a%2Fb/"})"));
  EXPECT_THAT(MarkPartitionsDone(table, nullptr, /*dry_run=*/false, clock), IsError(ErrorCode::kUnavailable)) << "nobody listens";
}

TEST_F(PartitionDoneTest, RefusesWhatItCannotDo) {
  struct Case {
    Options::Map options;
    ErrorCode error;
    std::string message;
  };
  const std::vector<Case> cases = {
      {{{"partition.mark-done-action", "success-file,mark-event"}}, ErrorCode::kInvalidArgument, "'metastore.partitioned-table'"},
      {{{"partition.mark-done-action", "done-partition"}}, ErrorCode::kUnsupported, "'done-partition'"},
      {{{"partition.mark-done-action", "custom"}}, ErrorCode::kUnsupported, "'custom'"},
      {{{"partition.mark-done-action", "nothing"}}, ErrorCode::kInvalidArgument, "'nothing'"},
      {{{"partition.mark-done-action", "http-report"}}, ErrorCode::kInvalidArgument, "partition.mark-done-action.http.url"},
  };
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table, Make());
  ASSERT_THAT(Insert(table, {{1, "a"}}), IsOk());
  for (const Case& c : cases) {
    BRAID_ASSERT_OK_AND_ASSIGN(const Table asking, table.With(Options(c.options)));
    EXPECT_THAT(MarkPartitionsDone(asking, nullptr, false), IsError(c.error)) << c.message;
    EXPECT_THAT(MarkPartitionsDone(asking, nullptr, false), HasMessage(c.message));
  }
  EXPECT_THAT(Marker("dt=a"), IsError(ErrorCode::kNotFound));
  BRAID_ASSERT_OK_AND_ASSIGN(const Table event, table.With(Options({{"partition.mark-done-action", "mark-event"}, {"metastore.partitioned-table", "true"}})));
  EXPECT_THAT(MarkPartitionsDone(event, nullptr, false), IsOk()) << "a catalog of folders keeps no events";
  EXPECT_THAT(Marker("dt=a"), IsError(ErrorCode::kNotFound));
  BRAID_ASSERT_OK_AND_ASSIGN(const Table flat,
                             CreateTestTable(fs_, TestDefinition({{"k", DataType::Int()}}), "/warehouse/d.db/flat"));
  EXPECT_THAT(MarkPartitionsDone(flat, nullptr, false), IsError(ErrorCode::kInvalidArgument));
}

}  // namespace
}  // namespace braid
