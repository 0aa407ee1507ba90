/*
 * An MCP server over Streamable HTTP with the tool "echo": HTTP/1.1 with keep-alive, one thread, one
 * epoll. Listens on a free port of 127.0.0.1, writes the port to stdout, and ends with its stdin.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "rpc.h"

#define BUFFER (64 * 1024)
#define EVENTS 256
#define HEAD_ROOM 256

typedef struct {
  int socket;
  size_t held;
  size_t size;
  char *bytes;
} Client;

static char answer[BUFFER + RPC_ROOM];
static char output[2 * BUFFER];

static void die(const char *what) {
  perror(what);
  exit(1);
}

/* The value of Content-Length, 0 where there is none. */
static size_t content_length(const char *head, const char *end) {
  static const char name[] = "content-length:";
  for (const char *line = head; line < end; line++) {
    if ((size_t)(end - line) > sizeof(name) && strncasecmp(line, name, sizeof(name) - 1) == 0)
      return strtoul(line + sizeof(name) - 1, NULL, 10);
    line = memchr(line, '\n', (size_t)(end - line));
    if (line == NULL) break;
  }
  return 0;
}

static size_t respond(const char *request, Span body, char *out) {
  if (memcmp(request, "GET /stream", 11) == 0)
    return PUT_TEXT(out, 0,
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
        "Transfer-Encoding: chunked\r\n\r\n");
  if (memcmp(request, "GET", 3) == 0)
    return PUT_TEXT(out, 0, "HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n");
  if (memcmp(request, "POST", 4) != 0)
    return PUT_TEXT(out, 0, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  size_t length = rpc_answer(body, answer);
  if (length == 0) return PUT_TEXT(out, 0, "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n");
  int opens = is(member(body, "method"), "\"initialize\"");
  int n = snprintf(out, HEAD_ROOM,
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n%sContent-Length: %zu\r\n\r\n",
      opens ? "Mcp-Session-Id: bench\r\n" : "", length);
  return put(out, (size_t)n, answer, length);
}

static void drop(Client *client) {
  close(client->socket);
  free(client->bytes);
  free(client);
}

/* Answers every whole request that is held. False where the client is to be dropped. */
static int serve(Client *client) {
  char *from = client->bytes;
  char *end = client->bytes + client->held;
  size_t ready = 0;
  for (;;) {
    char *head_end = memmem(from, (size_t)(end - from), "\r\n\r\n", 4);
    if (head_end == NULL) break;
    Span body = {head_end + 4, content_length(from, head_end)};
    if (body.length > BUFFER / 2) return 0;
    if ((size_t)(end - body.at) < body.length) break;
    if (ready + body.length + RPC_ROOM + HEAD_ROOM > sizeof(output)) return 0;
    ready += respond(from, body, output + ready);
    from = (char *)body.at + body.length;
  }
  client->held = (size_t)(end - from);
  memmove(client->bytes, from, client->held);
  /* Clients wait for each answer, so the socket's buffer always has room for these few. */
  return ready == 0 || send(client->socket, output, ready, MSG_NOSIGNAL) == (ssize_t)ready;
}

static void readable(Client *client) {
  if (client->held == client->size) {
    client->size = client->size == 0 ? 2048 : 2 * client->size;
    client->bytes = client->size <= BUFFER ? realloc(client->bytes, client->size) : NULL;
    if (client->bytes == NULL) die("echo_http: request too long");
  }
  ssize_t count =
      recv(client->socket, client->bytes + client->held, client->size - client->held, 0);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) {
    drop(client);
    return;
  }
  client->held += (size_t)count;
  if (!serve(client)) drop(client);
}

static void watch(int epoll, int descriptor, void *data) {
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = data};
  if (epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) < 0) die("epoll_ctl");
}

static void accept_all(int epoll, int listener) {
  for (;;) {
    int socket = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket < 0) return;
    int on = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    Client *client = calloc(1, sizeof(Client));
    if (client == NULL) die("calloc");
    client->socket = socket;
    watch(epoll, socket, client);
  }
}

int main(void) {
  struct rlimit files;
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = 0};
  socklen_t length = sizeof(address);
  if (listener < 0 || bind(listener, (struct sockaddr *)&address, length) < 0) die("bind");
  if (listen(listener, 4096) < 0) die("listen");
  if (getsockname(listener, (struct sockaddr *)&address, &length) < 0) die("getsockname");
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
  int epoll = epoll_create1(EPOLL_CLOEXEC);
  int parent = STDIN_FILENO;
  watch(epoll, listener, &listener);
  watch(epoll, parent, &parent);
  struct epoll_event events[EVENTS];
  for (;;) {
    int count = epoll_wait(epoll, events, EVENTS, -1);
    for (int i = 0; i < count; i++) {
      if (events[i].data.ptr == &parent) return 0;
      if (events[i].data.ptr == &listener) accept_all(epoll, listener);
      else readable(events[i].data.ptr);
    }
  }
}
