package dev.mcpbus.config;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * All keys of a configuration. {@code mcpbus.schema.json} has the same keys; a test compares them.
 */
final class ConfigKeys {

  /** With one of these keys a file is in mcpbus's own format, and its other keys are checked. */
  static final Set<String> OURS =
      Set.of(
          "bridge",
          "gateway",
          "auth",
          "supervisor",
          "catalog",
          "cluster",
          "state",
          "metrics",
          "tracing",
          "defaults",
          "rpcLog");

  static final Set<String> TOP =
      Stream.concat(OURS.stream(), Stream.of("$schema", "mcpServers", "inputs"))
          .collect(Collectors.toUnmodifiableSet());

  static final Set<String> STATE = Set.of("dir");

  static final Set<String> METRICS = Set.of("enabled");
  static final Set<String> TRACING = Set.of("enabled", "endpoint", "sampling", "service");

  static final List<String> ROOTS = List.of("mcpServers", "servers", "mcp_servers");

  static final Set<String> BRIDGE =
      Set.of(
          "host",
          "port",
          "allowedHosts",
          "allowedOrigins",
          "maxBodyBytes",
          "maxHeaderBytes",
          "maxConnections",
          "maxConnectionsPerAddress",
          "maxStreams",
          "maxBytesInFlight",
          "receiveTimeout",
          "drain",
          "heartbeat",
          "eventBus",
          "console",
          "tls");

  static final Set<String> BRIDGE_TLS = Set.of("certFile", "keyFile");
  static final Set<String> AUTH = Set.of("apiKeys", "jwt", "policies", "limits", "audit");
  static final Set<String> API_KEY = Set.of("name", "hash", "roles", "admin", "expires", "limits");
  static final Set<String> JWT =
      Set.of("issuer", "audience", "jwksUri", "resource", "scopes", "adminScopes", "leeway");
  static final Set<String> POLICY = Set.of("principals", "servers", "tools", "actions", "effect");
  static final Set<String> AUTH_LIMITS = Set.of("rate", "burst", "concurrency");
  static final Set<String> AUDIT = Set.of("on", "file", "maxMegabytes", "keep", "onFailure");
  static final Set<String> CATALOG = Set.of("names", "search", "registry");

  static final Set<String> CLUSTER =
      Set.of(
          "name",
          "node",
          "host",
          "port",
          "busPort",
          "members",
          "kubernetes",
          "quorum",
          "labels",
          "weight",
          "wire",
          "rolloutGrace",
          "secret",
          "secretFile",
          "tls");

  static final Set<String> CLUSTER_TLS = Set.of("certFile", "keyFile", "caFile");

  static final Set<String> SUPERVISOR = Set.of("strategy", "startConcurrency");

  static final Set<String> GATEWAY =
      Set.of(
          "views",
          "sessionIdle",
          "handshakeWait",
          "maxSessions",
          "maxCalls",
          "maxStreams",
          "pageSize",
          "passUnknown");

  static final Set<String> VIEW =
      Set.of(
          "servers",
          "allow",
          "deny",
          "rename",
          "failure",
          "search",
          "principals",
          "prefix",
          "passUnknown");

  /** Settings of a server's behaviour; also allowed in {@code defaults}. */
  static final Set<String> SETTINGS =
      Set.of(
          "timeout",
          "requestTimeout",
          "handshakeTimeout",
          "installTimeout",
          "probeTimeout",
          "protocolVersion",
          "capabilities",
          "maxCallDuration",
          "maxStreamDuration",
          "connectTimeout",
          "lazy",
          "idleStop",
          "shared",
          "repeat",
          "renewable",
          "strict",
          "toolsOnly",
          "validate",
          "rpcLog",
          "whenUnavailable",
          "maxPending",
          "maxStash",
          "maxPages",
          "limits",
          "ping",
          "healthCheck",
          "pin",
          "restart",
          "closeGrace",
          "drain");

  /** The capabilities that a client may declare, in the order of the message. */
  static final List<String> CAPABILITIES =
      List.of(
          "elicitation",
          "elicitation.form",
          "elicitation.url",
          "sampling",
          "sampling.tools",
          "sampling.context",
          "roots");

  static final Set<String> LIMITS = Set.of("maxMessageBytes", "maxDepth", "maxNumberLength");
  static final Set<String> PING = Set.of("interval", "timeout", "threshold");
  static final Set<String> HEALTH_CHECK = Set.of("interval");
  static final Set<String> RESTART =
      Set.of("type", "intensity", "backoff", "reprobe", "quietPeriod", "strategy");
  static final Set<String> INTENSITY = Set.of("restarts", "period");
  static final Set<String> BACKOFF = Set.of("initial", "max", "factor", "jitter");

  /** Keys of {@code oauth} and {@code auth}, which are synonyms; Cursor writes upper case. */
  static final Set<String> OAUTH =
      Set.of(
          "grant",
          "clientId",
          "clientSecret",
          "CLIENT_ID",
          "CLIENT_SECRET",
          "tokenEndpointAuthMethod",
          "scopes",
          "issuer",
          "clientMetadataUrl",
          "redirectPort",
          "callbackPort",
          "privateKey",
          "keyId",
          "idJag",
          "workloadIdentity",
          "dpop",
          "tokenStore",
          "resource");

  static final Set<String> WORKLOAD_IDENTITY = Set.of("token", "tokenFile");

  static final Set<String> ID_JAG =
      Set.of(
          "tokenEndpoint",
          "clientId",
          "clientSecret",
          "subjectToken",
          "subjectTokenFile",
          "subjectTokenType");

  static final Set<String> TLS = Set.of("caFile", "certFile", "keyFile");

  /** What a server is and how to reach it. */
  private static final Set<String> IDENTITY =
      Set.of(
          "type",
          "command",
          "args",
          "env",
          "cwd",
          "envFile",
          "url",
          "headers",
          "preferSSE",
          "headersHelper",
          "oauth",
          "auth",
          "tls",
          "proxy",
          "address",
          "options",
          "listen",
          "labels",
          "replicas",
          "enabledTools",
          "disabledTools",
          "disabled",
          "enabled");

  static final Set<String> SERVER = both(IDENTITY, SETTINGS);

  /** Keys of {@code retry} in the seeds' YAML. */
  static final Set<String> RETRY = Set.of("max_attempts", "delay", "max_delay", "factor");

  /** Keys for other programs' user interfaces, which mcpbus ignores. */
  static final Set<String> FOREIGN =
      Set.of(
          "name",
          "title",
          "description",
          "gallery",
          "version",
          "dev",
          "icon",
          "icons",
          "sandbox",
          "sandboxEnabled",
          "$comment",
          "id",
          "source",
          "note",
          "notes",
          "comment",
          "_comment",
          "displayName",
          "display_name",
          "bundled",
          "scope",
          "tags",
          "category",
          "author",
          "homepage",
          "repository",
          "provider",
          "providerUrl",
          "logoUrl",
          "iconPath",
          "registryUrl",
          "installSource",
          "searchKey",
          "dxtVersion",
          "longRunning",
          "start_on_launch",
          "watchPaths",
          "extensionName",
          "serverInstructions",
          "instructions",
          "chatMenu",
          "startup",
          "requiresOAuth",
          "required",
          "supports_parallel_tool_calls",
          "keep_alive",
          "session_kwargs",
          "encoding",
          "encoding_error_handler",
          "terminate_on_close",
          "sse_read_timeout",
          "stderr",
          "alwaysLoad",
          "autoStart",
          "anythingllm");

  /** Names from other programs that differ too much from ours for a comparison of letters. */
  static final Map<String, String> HINTS =
      Map.of(
          "cmd", "command",
          "arguments", "args",
          "environment", "env",
          "transport", "type",
          "transportType", "type",
          "retry", "restart",
          "logJsonRpc", "rpcLog",
          "workingDirectory", "cwd",
          "endpoint", "url",
          "requestInit", "headers");

  private ConfigKeys() {}

  private static Set<String> both(Set<String> a, Set<String> b) {
    Set<String> all = new LinkedHashSet<>(a);
    all.addAll(b);
    return Set.copyOf(all);
  }
}
