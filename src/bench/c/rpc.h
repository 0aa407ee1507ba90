/*
 * The MCP side of the echo fixtures: one JSON-RPC message in, its answer out. Reads well-formed
 * messages only; fixtures of the benchmark are never exposed to anything else.
 */
#ifndef MCPBUS_BENCH_RPC_H
#define MCPBUS_BENCH_RPC_H

#include <stdio.h>
#include <string.h>

/* Room that an answer needs beyond the length of its request. */
#define RPC_ROOM 512

typedef struct {
  const char *at;
  size_t length;
} Span;

static const char *skip_blanks(const char *p, const char *end) {
  while (p < end && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n')) p++;
  return p;
}

/* p is at the opening quote; returns what follows the closing one. */
static const char *skip_string(const char *p, const char *end) {
  const char *close = memchr(p + 1, '"', (size_t)(end - p - 1));
  if (close == NULL) return end;
  if (memchr(p + 1, '\\', (size_t)(close - p - 1)) == NULL) return close + 1;
  for (p++; p < end && *p != '"'; p++)
    if (*p == '\\') p++;
  return p < end ? p + 1 : end;
}

static const char *skip_value(const char *p, const char *end) {
  int depth = 0;
  for (; p < end; p++) {
    if (*p == '"') {
      p = skip_string(p, end);
      if (depth == 0) return p;
      p--;
    } else if (*p == '{' || *p == '[') {
      depth++;
    } else if (*p == '}' || *p == ']') {
      if (depth == 0) return p;
      if (--depth == 0) return p + 1;
    } else if (*p == ',' && depth == 0) {
      return p;
    }
  }
  return end;
}

/* The value of the member of this name in an object, with length 0 where there is none. */
static Span member(Span object, const char *name) {
  Span none = {0, 0};
  const char *end = object.at + object.length;
  const char *p = skip_blanks(object.at, end);
  size_t wanted = strlen(name);
  if (p >= end || *p != '{') return none;
  for (p = skip_blanks(p + 1, end); p < end && *p == '"'; p = skip_blanks(p + 1, end)) {
    const char *key = p + 1;
    p = skip_string(p, end);
    size_t length = (size_t)(p - key - 1);
    p = skip_blanks(skip_blanks(p, end) + 1, end);
    const char *value = p;
    p = skip_value(p, end);
    if (length == wanted && memcmp(key, name, wanted) == 0) {
      Span found = {value, (size_t)(p - value)};
      return found;
    }
    p = skip_blanks(p, end);
  }
  return none;
}

static int is(Span text, const char *quoted) {
  return text.length == strlen(quoted) && memcmp(text.at, quoted, text.length) == 0;
}

static size_t put(char *out, size_t at, const char *text, size_t length) {
  memcpy(out + at, text, length);
  return at + length;
}

#define PUT_TEXT(out, at, text) put(out, at, text, sizeof(text) - 1)

/* Writes the answer into out; returns its length, 0 where there is nothing to answer. */
static size_t rpc_answer(Span message, char *out) {
  Span id = member(message, "id");
  Span method = member(message, "method");
  if (id.length == 0 || method.length == 0) return 0;
  size_t n = PUT_TEXT(out, 0, "{\"jsonrpc\":\"2.0\",\"id\":");
  n = put(out, n, id.at, id.length);
  if (is(method, "\"tools/call\"")) {
    Span text = member(member(member(message, "params"), "arguments"), "text");
    n = PUT_TEXT(out, n, ",\"result\":{\"content\":[{\"type\":\"text\",\"text\":");
    n = text.length > 0 ? put(out, n, text.at, text.length) : PUT_TEXT(out, n, "\"\"");
    n = PUT_TEXT(out, n, "}],\"isError\":false}}");
  } else if (is(method, "\"initialize\"")) {
    Span version = member(member(message, "params"), "protocolVersion");
    n = PUT_TEXT(out, n, ",\"result\":{\"protocolVersion\":");
    n = put(out, n, version.at, version.length);
    n = PUT_TEXT(out, n,
        ",\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"echo\",\"version\":\"1\"}}}");
  } else if (is(method, "\"server/discover\"")) {
    n = PUT_TEXT(out, n,
        ",\"result\":{\"resultType\":\"complete\",\"supportedVersions\":[\"2026-07-28\"],"
        "\"capabilities\":{\"tools\":{}},\"ttlMs\":3600000,\"cacheScope\":\"public\"}}");
  } else if (is(method, "\"tools/list\"")) {
    n = PUT_TEXT(out, n,
        ",\"result\":{\"tools\":[{\"name\":\"echo\",\"description\":\"Gives the text back\","
        "\"inputSchema\":{\"type\":\"object\",\"properties\":{\"text\":{\"type\":\"string\"}},"
        "\"required\":[\"text\"]}}]}}");
  } else if (is(method, "\"ping\"")) {
    n = PUT_TEXT(out, n, ",\"result\":{}}");
  } else {
    n = PUT_TEXT(out, n, ",\"error\":{\"code\":-32601,\"message\":\"method not found\"}}");
  }
  return n;
}

#endif
