#include <cstdio>
#include <cstring>

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--version") == 0) {
    std::puts("braid " BRAID_VERSION);
    return 0;
  }
  std::fputs("usage: braid --version\n", stderr);
  return 2;
}
