#include "jobs/control.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "io/file_system.h"
#include "jobs/job_folder.h"

namespace braid {

namespace {

constexpr int kReadTimeoutMs = 5000;
constexpr std::size_t kLongestRequest = std::size_t{1} << 20;

Error SocketError(const char* what, const std::string& path) {
  return Error(ErrorCode::kIo, fmt::format("cannot {} {}: {}", what, path, std::strerror(errno)));
}

// Closes with its scope.
class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return value_; }
  int release() { return std::exchange(value_, -1); }

 private:
  int value_;
};

Result<sockaddr_un> AddressOf(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path))
    return Error(ErrorCode::kInvalidArgument, fmt::format("the path {} is too long for a socket", path))
        .Hint("set XDG_RUNTIME_DIR to a shorter one");
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

bool SendAll(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = ::send(descriptor, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

// Up to the line feed; nullopt if the other side goes away. `timeout_ms` < 0 waits for ever.
std::optional<std::string> ReadLine(int descriptor, int timeout_ms) {
  std::string line;
  std::array<char, 4096> buffer;
  while (line.size() < kLongestRequest) {
    pollfd waiting = {.fd = descriptor, .events = POLLIN, .revents = 0};
    const int ready = ::poll(&waiting, 1, timeout_ms);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return std::nullopt;
    const ssize_t count = ::recv(descriptor, buffer.data(), buffer.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return std::nullopt;
    line.append(buffer.data(), static_cast<std::size_t>(count));
    if (line.ends_with('\n')) {
      line.pop_back();
      return line;
    }
  }
  return std::nullopt;
}

Json ErrorReply(const Error& error) {
  Json reply;
  reply.Add("code", ErrorCodeName(error.code()));
  reply.Add("error", error.message());
  reply.Add("hint", error.hint());
  reply.Add("id", error.id());
  return reply;
}

}  // namespace

Result<std::unique_ptr<ControlServer>> ControlServer::Listen(const std::string& path) {
  const std::string folder(DirectoryName(path));
  BRAID_TRY(LocalFileSystem()->CreateDirectories(folder));
  // The folder may be shared with nobody; an existing one of another user makes this fail.
  if (::chmod(folder.c_str(), 0700) != 0) return SocketError("protect", folder);
  BRAID_TRY_ASSIGN(const sockaddr_un address, AddressOf(path));
  ::unlink(path.c_str());
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (socket.get() < 0) return SocketError("make", path);
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0)
    return SocketError("make", path);
  if (::chmod(path.c_str(), 0600) != 0 || ::listen(socket.get(), 16) != 0) return SocketError("listen at", path);
  return std::unique_ptr<ControlServer>(new ControlServer(socket.release(), path));
}

ControlServer::~ControlServer() {
  ::close(descriptor_);
  ::unlink(path_.c_str());
}

void ControlServer::Serve(const ControlHandler& handler) {
  for (;;) {
    const Descriptor client(::accept4(descriptor_, nullptr, nullptr, SOCK_CLOEXEC));
    if (client.get() < 0) return;
    const std::optional<std::string> line = ReadLine(client.get(), kReadTimeoutMs);
    if (!line) continue;
    Result<Json> request = ParseJson(*line);
    Result<Json> reply = request ? handler(*request) : Result<Json>(std::move(request).error());
    SendAll(client.get(), PrintJson(reply ? *reply : ErrorReply(reply.error())) + "\n");
  }
}

Result<Json> AskWorker(const std::string& path, const Json& request) {
  BRAID_TRY_ASSIGN(const sockaddr_un address, AddressOf(path));
  const Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (socket.get() < 0) return SocketError("make a socket for", path);
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0)
    return Error(ErrorCode::kUnavailable, "the job's worker does not answer")
        .Hint("`braid job list` says what the job does");
  if (!SendAll(socket.get(), PrintJson(request) + "\n"))
    return Error(ErrorCode::kUnavailable, "the job's worker went away");
  const std::optional<std::string> line = ReadLine(socket.get(), -1);
  if (!line) return Error(ErrorCode::kUnavailable, "the job's worker went away");
  BRAID_TRY_ASSIGN(Json reply, ParseJson(*line));
  if (const Json* message = reply.Find("error")) {
    BRAID_TRY_ASSIGN(const std::string code, reply.GetString("code"));
    BRAID_TRY_ASSIGN(const std::string hint, reply.GetString("hint"));
    BRAID_TRY_ASSIGN(const std::string id, reply.GetString("id"));
    Error error = Error(ParseErrorCode(code), message->is_string() ? message->as_string() : "").Id(id);
    return hint.empty() ? error : std::move(error).Hint(hint);
  }
  return reply;
}

}  // namespace braid
