package dev.mcpbus.config;

import dev.mcpbus.config.ConfigNode.ValueType;
import dev.mcpbus.config.Substitution.Filled;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.connection.options.ConnectionOptions.Repeat;
import dev.mcpbus.connection.options.ConnectionOptions.Validation;
import dev.mcpbus.connection.options.ConnectionOptions.WhenUnavailable;
import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.protocol.ProtocolVersion;
import dev.mcpbus.supervisor.Backoff;
import dev.mcpbus.supervisor.RestartIntensity;
import dev.mcpbus.supervisor.RestartPolicy;
import dev.mcpbus.supervisor.RestartType;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Optional;

/** Reads how a server behaves; an absent key keeps the value of {@code base}. */
final class SettingsReader {

  private static final int MAX_COUNT = 1_000_000;
  private static final int MAX_MESSAGE = 1024 * 1024 * 1024;

  private static final double MAX_LIKE_SECONDS = 600;

  private SettingsReader() {}

  static ServerSettings read(ConfigEntry entry, ServerSettings base) {
    ConnectionOptions.Builder options = base.connection().with();
    Optional<Duration> request = requestTimeout(entry);
    Optional<Duration> most = entry.duration("maxCallDuration", false);
    most.ifPresent(options::maxCallDuration);
    entry.duration("maxStreamDuration", true).ifPresent(options::maxStreamDuration);
    request.ifPresent(
        value -> {
          options.requestTimeout(value);
          Duration ceiling = most.orElse(base.connection().maxCallDuration());
          if (ceiling.compareTo(value) < 0 && most.isPresent()) {
            entry.wrong(
                entry.line("maxCallDuration"),
                "\"maxCallDuration\" is shorter than the request timeout",
                "Make it longer, or leave it out");
          } else if (ceiling.compareTo(value) < 0) {
            options.maxCallDuration(value);
          }
        });
    entry.duration("handshakeTimeout", false).ifPresent(options::handshakeTimeout);
    entry.duration("installTimeout", false).ifPresent(options::installTimeout);
    entry.duration("probeTimeout", false).ifPresent(options::probeTimeout);
    protocolVersion(entry).ifPresent(options::protocolVersion);
    capabilities(entry).ifPresent(options::capabilities);
    entry.flag("lazy").ifPresent(options::lazy);
    entry.duration("idleStop", true).ifPresent(options::idleStop);
    entry.flag("shared").ifPresent(options::shared);
    entry.choice("repeat", Repeat.class).ifPresent(options::repeat);
    entry.flag("renewable").ifPresent(options::renewable);
    entry.flag("strict").ifPresent(options::strict);
    entry.flag("toolsOnly").ifPresent(options::toolsOnly);
    entry.choice("validate", Validation.class).ifPresent(options::validation);
    entry.choice("whenUnavailable", WhenUnavailable.class).ifPresent(options::whenUnavailable);
    entry.whole("maxPending", 1, MAX_COUNT).ifPresent(options::maxPending);
    entry.whole("maxStash", 0, MAX_COUNT).ifPresent(options::maxStash);
    entry.whole("maxPages", 1, MAX_COUNT).ifPresent(options::maxPages);
    entry
        .object("ping", ConfigKeys.PING)
        .ifPresent(
            ping -> {
              ping.duration("interval", true).ifPresent(options::pingInterval);
              ping.duration("timeout", false).ifPresent(options::pingTimeout);
              ping.whole("threshold", 1, 1_000).ifPresent(options::pingThreshold);
            });
    entry
        .object("healthCheck", ConfigKeys.HEALTH_CHECK)
        .flatMap(check -> check.duration("interval", true))
        .ifPresent(options::healthInterval);
    PinReader.read(entry).ifPresent(options::pin);
    entry
        .object("limits", ConfigKeys.LIMITS)
        .ifPresent(limits -> options.limits(limits(limits, base.connection().limits())));
    RestartPolicy restart =
        entry
            .object("restart", ConfigKeys.RESTART)
            .map(inner -> restart(inner, base.restart()))
            .orElse(base.restart());
    return new ServerSettings(
        options.build(),
        restart,
        rpcLog(entry).orElse(base.rpcLog()),
        entry.duration("closeGrace", true).orElse(base.closeGrace()),
        entry.duration("drain", true).orElse(base.drain()),
        entry.duration("connectTimeout", false).orElse(base.connectTimeout()));
  }

  /** {@code off}, {@code on} or {@code bus}; true is {@code on}, false is {@code off}. */
  static Optional<RpcLogMode> rpcLog(ConfigEntry entry) {
    ConfigNode value = entry.node().get("rpcLog");
    if (value != null && value.is(ValueType.BOOLEAN)) {
      return entry.flag("rpcLog").map(on -> on ? RpcLogMode.ON : RpcLogMode.OFF);
    }
    return entry.choice("rpcLog", RpcLogMode.class);
  }

  private static Optional<ProtocolVersion> protocolVersion(ConfigEntry entry) {
    return entry.word(
        "protocolVersion",
        ProtocolVersion::ofWire,
        "mcpbus does not speak protocol version",
        () ->
            "Use one of "
                + String.join(", ", ProtocolVersion.supported())
                + ", or leave it out to negotiate the version");
  }

  /** Nests words such as {@code elicitation.url} into the form of MCP. */
  private static Optional<JsonObject> capabilities(ConfigEntry entry) {
    return entry
        .texts("capabilities")
        .map(
            words -> {
              JsonObject all = new JsonObject();
              for (Filled text : words) {
                String word = text.value().reveal();
                if (text.open()) {
                  continue;
                }
                if (!ConfigKeys.CAPABILITIES.contains(word)) {
                  entry.wrong(
                      entry.line("capabilities"),
                      "unknown capability " + MessageTexts.quote(text.shown()),
                      "Use some of " + String.join(", ", ConfigKeys.CAPABILITIES));
                }
                JsonObject into = all;
                for (String part : word.split("\\.", -1)) {
                  if (!into.containsKey(part)) {
                    into.put(part, new JsonObject());
                  }
                  into = into.getJsonObject(part);
                }
              }
              return all;
            });
  }

  private static Optional<Duration> requestTimeout(ConfigEntry entry) {
    if (entry.has("timeout") && entry.has("requestTimeout")) {
      entry.wrong(
          entry.line("requestTimeout"),
          "\"timeout\" and \"requestTimeout\" are the same",
          "Keep one of them");
    }
    ConfigNode bare = entry.node().get("timeout");
    if (bare != null && bare.is(ValueType.NUMBER) && looksLikeSeconds(bare)) {
      entry.note(
          bare.line(),
          "\"timeout\" counts milliseconds here, so calls end after " + bare.text() + " ms",
          "Write \"" + bare.text() + "s\" if seconds are meant, as in Cline and Roo");
    }
    Optional<Duration> timeout = entry.duration("timeout", false);
    return entry.duration("requestTimeout", false).or(() -> timeout);
  }

  /** Other programs count seconds, and no server answers within so few milliseconds. */
  private static boolean looksLikeSeconds(ConfigNode number) {
    double value = number.number().doubleValue();
    return value >= 1 && value <= MAX_LIKE_SECONDS;
  }

  private static ParseLimits limits(ConfigEntry entry, ParseLimits base) {
    return new ParseLimits(
        entry.whole("maxMessageBytes", 1_024, MAX_MESSAGE).orElse(base.maxBytes()),
        entry.whole("maxDepth", 8, 10_000).orElse(base.maxDepth()),
        entry.whole("maxNumberLength", 16, MAX_COUNT).orElse(base.maxNumberLength()));
  }

  private static RestartPolicy restart(ConfigEntry entry, RestartPolicy base) {
    RestartType type = entry.choice("type", RestartType.class).orElse(base.type());
    RestartIntensity intensity =
        entry
            .object("intensity", ConfigKeys.INTENSITY)
            .map(
                inner ->
                    new RestartIntensity(
                        inner.whole("restarts", 0, MAX_COUNT).orElse(base.intensity().restarts()),
                        inner.duration("period", false).orElse(base.intensity().period())))
            .orElse(base.intensity());
    Backoff backoff =
        entry
            .object("backoff", ConfigKeys.BACKOFF)
            .map(inner -> backoff(inner, base.backoff()))
            .orElse(base.backoff());
    return new RestartPolicy(
        type,
        intensity,
        backoff,
        entry.duration("quietPeriod", false).orElse(base.quietPeriod()),
        entry.duration("reprobe", true).orElse(base.reprobe()),
        entry.plugin("strategy", Plugins.connectionStrategies()).orElse(base.strategy()));
  }

  private static Backoff backoff(ConfigEntry entry, Backoff base) {
    Optional<Duration> first = entry.duration("initial", true);
    Optional<Duration> last = entry.duration("max", true);
    Duration initial = first.orElse(base.initial());
    Duration max = last.orElse(base.max());
    if (max.compareTo(initial) < 0) {
      if (last.isPresent()) {
        entry.wrong(
            entry.line("max"),
            "\"" + entry.path() + "max\" is shorter than the first delay",
            "Make it at least as long as \"initial\"");
      }
      max = initial;
    }
    return new Backoff(
        initial,
        max,
        entry.number("factor", 1, 100).orElse(base.factor()),
        entry.number("jitter", 0, 1).orElse(base.jitter()));
  }
}
