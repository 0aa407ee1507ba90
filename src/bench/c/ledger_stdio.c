/*
 * An MCP server on stdin and stdout that writes down what it does: ledger_stdio <log> <server>.
 * Tool "record" with {"call": id, "delay": milliseconds}: first one line in the log, then, after the
 * delay, the same words as its result. The node is the name of the working directory. Tool "look"
 * does the same without the line, and is marked as read-only.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "rpc.h"

#define INPUT (1 << 20)
#define WAITING 4096
#define ANSWER 512

typedef struct {
  long long due;
  size_t length;
  char text[ANSWER];
} Answer;

static char input[INPUT];
static char output[INPUT + RPC_ROOM];
static Answer waiting[WAITING];
static int waiters;
static int journal;
static const char *server;
static const char *node;

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void write_all(int to, const char *bytes, size_t length) {
  while (length > 0) {
    ssize_t count = write(to, bytes, length);
    if (count < 0) {
      if (errno == EINTR) continue;
      exit(1);
    }
    bytes += count;
    length -= (size_t)count;
  }
}

static void note(const char *kind, const char *words) {
  char line[ANSWER];
  int length = snprintf(line, sizeof line, "%s %lld %s\n", kind, now(), words);
  /* One write on a file opened to append: lines of several processes never mix. */
  if (write(journal, line, (size_t)length) != length) exit(1);
}

static void record(Span id, Span arguments, int noted) {
  Span call = member(arguments, "call");
  Span delay = member(arguments, "delay");
  char words[ANSWER / 2];
  snprintf(words, sizeof words, "%s %s %d %.*s", server, node, (int)getpid(),
      call.length > 2 ? (int)call.length - 2 : 0, call.length > 2 ? call.at + 1 : "");
  if (noted) note("execute", words);
  if (waiters == WAITING) exit(1);
  Answer *answer = &waiting[waiters++];
  long wait = delay.length > 0 ? strtol(delay.at, NULL, 10) : 0;
  answer->due = now() + wait * 1000000LL;
  answer->length = (size_t)snprintf(answer->text, ANSWER,
      "{\"jsonrpc\":\"2.0\",\"id\":%.*s,\"result\":{\"content\":[{\"type\":\"text\",\"text\":"
      "\"%s\"}],\"isError\":false}}\n", (int)id.length, id.at, words);
}

static void answer_due(void) {
  long long time = now();
  for (int i = 0; i < waiters; i++) {
    if (waiting[i].due <= time) {
      write_all(STDOUT_FILENO, waiting[i].text, waiting[i].length);
      waiting[i--] = waiting[--waiters];
    }
  }
}

static int millis_to_next(void) {
  long long first = -1;
  for (int i = 0; i < waiters; i++)
    if (first < 0 || waiting[i].due < first) first = waiting[i].due;
  if (first < 0) return -1;
  long long left = first - now();
  return left <= 0 ? 0 : (int)(left / 1000000) + 1;
}

static void handle(Span line) {
  Span method = member(line, "method");
  Span id = member(line, "id");
  if (is(method, "\"tools/call\"") && id.length > 0) {
    Span params = member(line, "params");
    record(id, member(params, "arguments"), !is(member(params, "name"), "\"look\""));
  } else if (is(method, "\"tools/list\"") && id.length > 0) {
    size_t length = (size_t)snprintf(output, sizeof output,
        "{\"jsonrpc\":\"2.0\",\"id\":%.*s,\"result\":{\"tools\":[{\"name\":\"record\","
        "\"description\":\"Writes a call down\",\"inputSchema\":{\"type\":\"object\","
        "\"properties\":{\"call\":{\"type\":\"string\"},\"delay\":{\"type\":\"integer\"}},"
        "\"required\":[\"call\"]}},{\"name\":\"look\",\"inputSchema\":{\"type\":\"object\"},"
        "\"annotations\":{\"readOnlyHint\":true}}]}}\n", (int)id.length, id.at);
    write_all(STDOUT_FILENO, output, length);
  } else {
    size_t length = rpc_answer(line, output);
    if (length == 0) return;
    output[length++] = '\n';
    write_all(STDOUT_FILENO, output, length);
  }
}

int main(int count, char **words) {
  static char folder[PATH_MAX];
  if (count != 3 || getcwd(folder, sizeof folder) == NULL) return 2;
  journal = open(words[1], O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (journal < 0) return 2;
  server = words[2];
  node = basename(folder);
  char own[ANSWER / 2];
  snprintf(own, sizeof own, "%s %s %d", server, node, (int)getpid());
  note("start", own);
  size_t held = 0;
  for (;;) {
    struct pollfd in = {STDIN_FILENO, POLLIN, 0};
    int ready = poll(&in, 1, millis_to_next());
    if (ready < 0 && errno != EINTR) return 1;
    answer_due();
    if (ready <= 0) continue;
    ssize_t length = read(STDIN_FILENO, input + held, INPUT - held);
    if (length < 0 && errno == EINTR) continue;
    if (length <= 0) return 0;
    held += (size_t)length;
    char *from = input;
    char *end = input + held;
    char *line_end;
    while ((line_end = memchr(from, '\n', (size_t)(end - from))) != NULL) {
      Span line = {from, (size_t)(line_end - from)};
      handle(line);
      from = line_end + 1;
    }
    held = (size_t)(end - from);
    memmove(input, from, held);
    if (held == INPUT) return 1;
  }
}
