package dev.mcpbus.config;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * All keys of a configuration. {@code mcpbus.schema.json} has the same keys; a test compares them.
 */
final class ConfigKeys {

  /** With one of these keys a file is in mcpbus's own format, and its other keys are checked. */
  static final Set<String> OURS =
      words(
          """
          bridge gateway auth supervisor catalog cluster state metrics tracing defaults
          rpcLog
          """);

  static final Set<String> TOP =
      Stream.concat(OURS.stream(), Stream.of("$schema", "mcpServers", "inputs"))
          .collect(Collectors.toUnmodifiableSet());

  static final Set<String> STATE = words("dir");

  static final Set<String> METRICS = words("enabled");
  static final Set<String> TRACING = words("enabled endpoint sampling service");

  static final List<String> ROOTS = List.of("mcpServers", "servers", "mcp_servers");

  static final Set<String> BRIDGE =
      words(
          """
          host port allowedHosts allowedOrigins maxBodyBytes maxHeaderBytes maxConnections
          maxConnectionsPerAddress maxStreams maxBytesInFlight receiveTimeout drain
          heartbeat eventBus console tls
          """);

  static final Set<String> BRIDGE_TLS = words("certFile keyFile");
  static final Set<String> AUTH = words("apiKeys jwt policies limits audit");
  static final Set<String> API_KEY = words("name hash roles admin expires limits");
  static final Set<String> JWT =
      words("issuer audience jwksUri resource scopes adminScopes leeway");
  static final Set<String> POLICY = words("principals servers tools actions effect");
  static final Set<String> AUTH_LIMITS = words("rate burst concurrency");
  static final Set<String> AUDIT = words("on file maxMegabytes keep onFailure");
  static final Set<String> CATALOG = words("names search registry");

  static final Set<String> CLUSTER =
      words(
          """
          name node host port busPort members kubernetes quorum labels weight wire
          rolloutGrace secret secretFile tls
          """);

  static final Set<String> CLUSTER_TLS = words("certFile keyFile caFile");

  static final Set<String> SUPERVISOR = words("strategy startConcurrency");

  static final Set<String> GATEWAY =
      words(
          """
          views sessionIdle handshakeWait maxSessions maxCalls maxStreams pageSize
          passUnknown
          """);

  static final Set<String> VIEW =
      words("servers allow deny rename failure search principals prefix passUnknown");

  /** Settings of a server's behaviour; also allowed in {@code defaults}. */
  static final Set<String> SETTINGS =
      words(
          """
          timeout requestTimeout handshakeTimeout installTimeout probeTimeout
          protocolVersion capabilities maxCallDuration maxStreamDuration connectTimeout
          lazy idleStop shared repeat renewable strict toolsOnly validate rpcLog
          whenUnavailable maxPending maxStash maxPages limits ping healthCheck pin restart
          closeGrace drain
          """);

  /** The capabilities that a client may declare, in the order of the message. */
  static final List<String> CAPABILITIES =
      List.of(
          ("elicitation elicitation.form elicitation.url sampling sampling.tools sampling.context"
                  + " roots")
              .split(" "));

  static final Set<String> LIMITS = words("maxMessageBytes maxDepth maxNumberLength");
  static final Set<String> PING = words("interval timeout threshold");
  static final Set<String> HEALTH_CHECK = words("interval");
  static final Set<String> RESTART = words("type intensity backoff reprobe quietPeriod strategy");
  static final Set<String> INTENSITY = words("restarts period");
  static final Set<String> BACKOFF = words("initial max factor jitter");

  /** Keys of {@code oauth} and {@code auth}, which are synonyms; Cursor writes upper case. */
  static final Set<String> OAUTH =
      words(
          """
          grant clientId clientSecret CLIENT_ID CLIENT_SECRET tokenEndpointAuthMethod
          scopes issuer clientMetadataUrl redirectPort callbackPort privateKey keyId idJag
          workloadIdentity dpop tokenStore resource
          """);

  static final Set<String> WORKLOAD_IDENTITY = words("token tokenFile");

  static final Set<String> ID_JAG =
      words(
          """
          tokenEndpoint clientId clientSecret subjectToken subjectTokenFile
          subjectTokenType
          """);

  static final Set<String> TLS = words("caFile certFile keyFile");

  /** What a server is and how to reach it. */
  private static final Set<String> IDENTITY =
      words(
          """
          type command args env cwd envFile url headers preferSSE headersHelper oauth auth
          tls proxy address options listen labels replicas enabledTools disabledTools
          disabled enabled
          """);

  static final Set<String> SERVER = both(IDENTITY, SETTINGS);

  /** Keys of {@code retry} in the seeds' YAML. */
  static final Set<String> RETRY = words("max_attempts delay max_delay factor");

  /** Keys for other programs' user interfaces, which mcpbus ignores. */
  static final Set<String> FOREIGN =
      words(
          """
          $comment _comment name title description gallery version dev icon icons sandbox
          sandboxEnabled id
          source note notes comment displayName display_name bundled scope tags category
          author homepage repository provider providerUrl logoUrl iconPath registryUrl
          installSource searchKey dxtVersion longRunning start_on_launch watchPaths
          extensionName serverInstructions instructions chatMenu startup requiresOAuth
          required supports_parallel_tool_calls keep_alive session_kwargs encoding
          encoding_error_handler terminate_on_close sse_read_timeout stderr alwaysLoad
          autoStart anythingllm sampling sampling_enabled prompt hidden rating logo
          tokenCacheDir lifecycle oauth_resource order created updated installed
          lastUpdated createdAt updatedAt skip_preflight isTrusted trustedAt installedAt
          clientName sourcePath key
          """);

  /**
   * Names from other programs that differ too much from ours for a comparison of letters. In order:
   * of two that are equally near, the first counts.
   */
  static final Map<String, String> HINTS =
      Collections.unmodifiableMap(
          new TreeMap<>(
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
                  "requestInit", "headers")));

  private ConfigKeys() {}

  static Set<String> words(String words) {
    return Set.of(words.strip().split("\\s+"));
  }

  private static Set<String> both(Set<String> a, Set<String> b) {
    Set<String> all = new LinkedHashSet<>(a);
    all.addAll(b);
    return Set.copyOf(all);
  }
}
