/*
 * relay <host> <port> [<journal>]: takes TCP connections at host:port and carries each to
 * 127.0.0.1:port. Lets a driver reach what listens on the loopback of another network namespace.
 * Appends to the journal when a request with a header Journal has arrived.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static int journal = -1;

static void note(const char *bytes, size_t count) {
  static const char name[] = "\r\nJournal: ";
  const char *at = memmem(bytes, count, name, sizeof name - 1);
  if (!at) return;
  at += sizeof name - 1;
  const char *end = memchr(at, '\r', count - (size_t)(at - bytes));
  if (!end) return;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  long long nanos = now.tv_sec * 1000000000LL + now.tv_nsec;
  dprintf(journal, "arrive %lld %.*s\n", nanos, (int)(end - at), at);
}

static struct sockaddr_in address(const char *host, const char *port) {
  struct sockaddr_in to;
  memset(&to, 0, sizeof to);
  to.sin_family = AF_INET;
  to.sin_port = htons((unsigned short)atoi(port));
  if (inet_pton(AF_INET, host, &to.sin_addr) != 1) exit(2);
  return to;
}

/* Carries what is there; -1 at the end of the stream or where the other side has gone. */
static int carry(int from, int to, int noted) {
  char bytes[65536];
  ssize_t count = read(from, bytes, sizeof bytes);
  if (count <= 0) return -1;
  if (noted) note(bytes, (size_t)count);
  for (ssize_t at = 0; at < count;) {
    ssize_t written = write(to, bytes + at, (size_t)(count - at));
    if (written < 0) return -1;
    at += written;
  }
  return 0;
}

static void serve(int client, const char *port) {
  struct sockaddr_in to = address("127.0.0.1", port);
  int upstream = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(upstream, (struct sockaddr *)&to, sizeof to) != 0) {
    /* The caller is to see that nobody listens: a reset, not an orderly end. */
    struct linger hard = {1, 0};
    setsockopt(client, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    return;
  }
  struct pollfd both[2] = {{client, POLLIN, 0}, {upstream, POLLIN, 0}};
  while (poll(both, 2, -1) > 0) {
    if (both[0].revents && carry(client, upstream, journal >= 0) < 0) return;
    if (both[1].revents && carry(upstream, client, 0) < 0) return;
  }
}

int main(int count, char **words) {
  if (count != 3 && count != 4) return 2;
  if (count == 4 && (journal = open(words[3], O_WRONLY | O_APPEND | O_CREAT, 0644)) < 0) {
    perror(words[3]);
    return 1;
  }
  signal(SIGCHLD, SIG_IGN);
  signal(SIGPIPE, SIG_IGN);
  struct sockaddr_in at = address(words[1], words[2]);
  int server = socket(AF_INET, SOCK_STREAM, 0);
  int yes = 1;
  setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (bind(server, (struct sockaddr *)&at, sizeof at) != 0 || listen(server, 128) != 0) {
    perror("relay");
    return 1;
  }
  for (;;) {
    int client = accept(server, NULL, NULL);
    if (client < 0) {
      if (errno == EINTR) continue;
      return 1;
    }
    if (fork() == 0) {
      close(server);
      serve(client, words[2]);
      _exit(0);
    }
    close(client);
  }
}
