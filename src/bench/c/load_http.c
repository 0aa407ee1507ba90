/*
 * A load of HTTP/1.1 POST requests: so many connections, each with one request at a time, for so
 * long. One thread, one epoll, so that it takes little from what it measures.
 *
 *   load_http PORT CONNECTIONS WARMUP_MS MEASURE_MS REQUEST_FILE
 *
 * With less than 0 for MEASURE_MS it sends so many requests, and ends with the last answer.
 *
 * The file holds one whole request, head and body, sent again and again. Writes one line of JSON:
 * answers, answers that were not a 200 with a "result" or a tool's "content", bytes, and latencies
 * in microseconds.
 *
 * The measured time goes on until there are as many answers as connections, because a short one can
 * be over before the first answer of a slow machine. If a minute more brings none at all, it says so
 * on stderr and exits with 1.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define EVENTS 256
#define STEPS 64
#define POWERS 40
#define EXTRA_SECONDS 60u

typedef struct {
  int socket;
  size_t held;
  size_t size;
  char *bytes;
  uint64_t sent;
} Client;

static char *request;
static size_t request_length;
static uint64_t answers, wrong, received;
static uint64_t histogram[POWERS][2 * STEPS];
static uint64_t left = UINT64_MAX;
static int measuring;

static void die(const char *what) {
  perror(what);
  exit(1);
}

static uint64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Steps of an equal share of each power of two, exact below the first. */
static void record(uint64_t nanos) {
  int power = 0;
  while ((nanos >> power) >= 2 * STEPS) power++;
  histogram[power][(nanos >> power) - (power > 0 ? STEPS : 0)]++;
}

static double quantile(double q) {
  uint64_t wanted = (uint64_t)((double)answers * q), seen = 0;
  for (int power = 0; power < POWERS; power++)
    for (int step = 0; step < 2 * STEPS; step++) {
      seen += histogram[power][step];
      if (seen > wanted)
        return (double)((uint64_t)(step + (power > 0 ? STEPS : 0) + 1) << power) / 1000.0;
    }
  return 0;
}

static void fire(Client *client) {
  if (left == 0) return;
  left--;
  client->sent = now();
  if (send(client->socket, request, request_length, MSG_NOSIGNAL) != (ssize_t)request_length)
    die("load_http: send");
}

/* Length of the whole answer at the start of the bytes; 0 where it is not here yet. */
static size_t whole(Client *client, const char **body) {
  char *end = client->bytes + client->held;
  char *head_end = memmem(client->bytes, client->held, "\r\n\r\n", 4);
  if (head_end == NULL) return 0;
  *body = head_end + 4;
  size_t head = (size_t)(*body - client->bytes);
  for (char *line = client->bytes; line < head_end;) {
    if (strncasecmp(line, "content-length:", 15) == 0) {
      size_t length = strtoul(line + 15, NULL, 10);
      return client->held >= head + length ? head + length : 0;
    }
    line = memchr(line, '\n', (size_t)(head_end - line));
    if (line == NULL) break;
    line++;
  }
  char *last = memmem(*body, (size_t)(end - *body), "0\r\n\r\n", 5);
  while (last != NULL && last != *body && last[-1] != '\n')
    last = memmem(last + 1, (size_t)(end - last - 1), "0\r\n\r\n", 5);
  return last == NULL ? 0 : (size_t)(last + 5 - client->bytes);
}

static void readable(Client *client) {
  if (client->size - client->held < 64 * 1024) {
    client->size += 256 * 1024;
    client->bytes = realloc(client->bytes, client->size);
    if (client->bytes == NULL) die("realloc");
  }
  ssize_t count =
      recv(client->socket, client->bytes + client->held, client->size - client->held, 0);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) {
    fprintf(stderr, "load_http: the server closed a connection: %.*s\n", (int)client->held,
            client->bytes);
    exit(1);
  }
  client->held += (size_t)count;
  const char *body = NULL;
  size_t length = whole(client, &body);
  if (length == 0) return;
  if (measuring) {
    answers++;
    received += length;
    record(now() - client->sent);
    size_t rest = length - (size_t)(body - client->bytes);
    size_t looked = rest < 4096 ? rest : 4096;
    if (strncmp(client->bytes, "HTTP/1.1 200", 12) != 0 ||
        (memmem(body, looked, "\"result\"", 8) == NULL &&
         memmem(body, looked, "\"content\"", 9) == NULL))
      if (wrong++ == 0)
        fprintf(stderr, "load_http: a wrong answer: %.*s\n", (int)(length < 600 ? length : 600),
                client->bytes);
  }
  memmove(client->bytes, client->bytes + length, client->held - length);
  client->held -= length;
  fire(client);
}

int main(int count, char **args) {
  if (count != 6) {
    fprintf(stderr, "usage: load_http PORT CONNECTIONS WARMUP_MS MEASURE_MS REQUEST_FILE\n");
    return 2;
  }
  FILE *file = fopen(args[5], "rb");
  if (file == NULL) die(args[5]);
  request = malloc(1 << 20);
  request_length = fread(request, 1, 1 << 20, file);
  fclose(file);
  int epoll = epoll_create1(0);
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                                .sin_port = htons((uint16_t)atoi(args[1]))};
  uint64_t clients = strtoul(args[2], NULL, 10);
  long measure = atol(args[4]);
  if (measure < 0) left = (uint64_t)-measure;
  for (uint64_t i = 0; i < clients; i++) {
    Client *client = calloc(1, sizeof(Client));
    if (client == NULL) die("calloc");
    client->socket = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(client->socket, (struct sockaddr *)&address, sizeof(address)) < 0) die("connect");
    int on = 1;
    setsockopt(client->socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = client};
    epoll_ctl(epoll, EPOLL_CTL_ADD, client->socket, &event);
    fire(client);
  }
  uint64_t start = now() + (uint64_t)atol(args[3]) * 1000000u;
  uint64_t least = measure < 0 ? (uint64_t)-measure : clients;
  uint64_t end = start + (measure < 0 ? 0 : (uint64_t)measure * 1000000u);
  uint64_t alive = end;
  struct epoll_event events[EVENTS];
  for (uint64_t at = now(); at < end || answers < least; at = now()) {
    if (at >= alive + EXTRA_SECONDS * 1000000000u) {
      fprintf(stderr, "load_http: %lu answers instead of %lu, and none for %u s\n",
              answers, least, EXTRA_SECONDS);
      return 1;
    }
    if (!measuring && at >= start) {
      measuring = 1;
      start = at;
    }
    int ready = epoll_wait(epoll, events, EVENTS, 100);
    if (ready > 0 && at > alive) alive = at;
    for (int i = 0; i < ready; i++) readable(events[i].data.ptr);
  }
  double seconds = (double)(now() - start) / 1e9;
  printf("{\"answers\":%lu,\"wrong\":%lu,\"bytes\":%lu,\"perSecond\":%.0f,\"p50\":%.1f,"
         "\"p99\":%.1f,\"p999\":%.1f}\n",
         answers, wrong, received, (double)answers / seconds, quantile(0.5), quantile(0.99),
         quantile(0.999));
  return 0;
}
