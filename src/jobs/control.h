#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/json.h"
#include "base/result.h"

namespace braid {

/// Answers one request of a client; an error becomes the answer.
using ControlHandler = std::function<Result<Json>(const Json& request)>;

/// The worker's end of its control socket: one JSON line a request, one a reply, for processes of the same user. One
/// thread.
class ControlServer {
 public:
  /// Errors: kIo naming the path.
  static Result<std::unique_ptr<ControlServer>> Listen(const std::string& path);
  ~ControlServer();
  ControlServer(const ControlServer&) = delete;
  ControlServer& operator=(const ControlServer&) = delete;

  /// To be polled for reading.
  int descriptor() const { return descriptor_; }
  /// Answers everybody who waits. What a client does wrong ends that client alone.
  void Serve(const ControlHandler& handler);

 private:
  ControlServer(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}
  int descriptor_;
  std::string path_;
};

/// Sends one request and waits for the reply. Errors: kUnavailable if nobody listens; the worker's own.
Result<Json> AskWorker(const std::string& path, const Json& request);

}  // namespace braid
