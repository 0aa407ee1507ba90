/*
 * An MCP server on stdin and stdout with the tool "echo". Answers all that one read has brought with
 * one write, so that it is never the bottleneck of a benchmark.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "rpc.h"

#define INPUT (1 << 20)
#define OUTPUT (4 << 20)

static char input[INPUT];
static char output[OUTPUT];

static void write_all(const char *bytes, size_t length) {
  while (length > 0) {
    ssize_t count = write(STDOUT_FILENO, bytes, length);
    if (count < 0) {
      if (errno == EINTR) continue;
      exit(1);
    }
    bytes += count;
    length -= (size_t)count;
  }
}

int main(void) {
  size_t held = 0;
  for (;;) {
    ssize_t count = read(STDIN_FILENO, input + held, INPUT - held);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return 0;
    held += (size_t)count;
    char *from = input;
    char *end = input + held;
    char *line_end;
    size_t ready = 0;
    while ((line_end = memchr(from, '\n', (size_t)(end - from))) != NULL) {
      Span line = {from, (size_t)(line_end - from)};
      if (ready + line.length + RPC_ROOM > OUTPUT) {
        write_all(output, ready);
        ready = 0;
      }
      size_t length = rpc_answer(line, output + ready);
      if (length > 0) {
        ready += length;
        output[ready++] = '\n';
      }
      from = line_end + 1;
    }
    write_all(output, ready);
    held = (size_t)(end - from);
    memmove(input, from, held);
    if (held == INPUT) {
      fprintf(stderr, "echo_stdio: a line is longer than %d bytes\n", INPUT);
      return 1;
    }
  }
}
