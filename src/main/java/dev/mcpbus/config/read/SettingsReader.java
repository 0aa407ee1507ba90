package dev.mcpbus.config.read;

import dev.mcpbus.config.MessageTexts;
import dev.mcpbus.config.RpcLogMode;
import dev.mcpbus.config.ServerSettings;
import dev.mcpbus.config.read.ConfigNode.ValueType;
import dev.mcpbus.config.read.Substitution.Filled;
import dev.mcpbus.connection.options.BreakerOptions;
import dev.mcpbus.connection.options.ConnectionOptions.Credential;
import dev.mcpbus.internals.OptionalLibrary;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.ProtocolVersion;
import dev.mcpbus.supervisor.Backoff;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Reads how a server behaves; an absent key keeps the value of {@code base}. */
final class SettingsReader {

  private static final double MAX_LIKE_SECONDS = 600;

  private SettingsReader() {}

  static ServerSettings read(ConfigEntry entry, ServerSettings base) {
    Optional<Duration> request = requestTimeout(entry);
    Optional<Duration> most = entry.duration("maxCallDuration");
    Optional<Duration> stream = entry.duration("maxStreamDuration");
    Duration ceiling = most.orElse(base.connection().maxCallDuration());
    boolean shorter = request.isPresent() && ceiling.compareTo(request.get()) < 0;
    if (shorter && most.isPresent()) {
      entry.wrong(
          entry.line("maxCallDuration"),
          "\"maxCallDuration\" is shorter than the request timeout",
          "Make it longer, or leave it out");
    }
    return Filling.of(entry.as(ConfigSchema.SETTINGS), base)
        .set("requestTimeout", request)
        .set("maxCallDuration", shorter && most.isEmpty() ? request : most)
        .set("maxStreamDuration", stream)
        .hand("protocolVersion", SettingsReader::protocolVersion)
        .hand("capabilities", SettingsReader::capabilities)
        .hand("breaker", read -> breaker(read, base.connection().breaker()))
        .hand("credential", read -> read.choice("credential", Credential.class))
        .hand("pin", PinReader::read)
        .hand(
            "restart.backoff",
            restart ->
                restart.object("backoff").map(inner -> backoff(inner, base.restart().backoff())))
        .hand(
            "restart.strategy",
            restart -> restart.plugin("strategy", Plugins.connectionStrategies()))
        .hand("rpcLog", SettingsReader::rpcLog)
        .done();
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
    List<String> known = entry.schema().key("capabilities").words();
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
                if (!known.contains(word)) {
                  entry.wrong(
                      entry.line("capabilities"),
                      "unknown capability " + MessageTexts.quote(text.shown()),
                      "Use some of " + String.join(", ", known));
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
    Optional<Duration> timeout = entry.duration("timeout");
    return entry.duration("requestTimeout").or(() -> timeout);
  }

  /** Other programs count seconds, and no server answers within so few milliseconds. */
  private static boolean looksLikeSeconds(ConfigNode number) {
    double value = number.number().doubleValue();
    return value >= 1 && value <= MAX_LIKE_SECONDS;
  }

  /** {@code true} is the breaker with all defaults; an object changes some of them. */
  private static Optional<BreakerOptions> breaker(ConfigEntry entry, BreakerOptions base) {
    ConfigNode value = entry.node().get("breaker");
    if (value == null || value.is(ValueType.NULL)) {
      return Optional.empty();
    }
    if (value.is(ValueType.BOOLEAN)) {
      return entry.flag("breaker").map(on -> active(entry, base, on));
    }
    if (!value.is(ValueType.OBJECT)) {
      entry.wrong(
          entry.line("breaker"),
          "\"breaker\" must be true, false or an object, not " + value.type().title,
          "Write \"breaker\": true for a circuit breaker with all defaults");
      return Optional.empty();
    }
    return entry
        .object("breaker")
        .map(
            inner -> {
              BreakerOptions read = Filling.of(inner, active(entry, base, true)).done();
              if (read.minimumCalls() > read.window()) {
                inner.wrong(
                    inner.line(inner.has("minimumCalls") ? "minimumCalls" : "window"),
                    "\"breaker.minimumCalls\" is "
                        + read.minimumCalls()
                        + ", but only the last "
                        + read.window()
                        + " calls count",
                    "Make \"minimumCalls\" at most as large as \"window\"");
              }
              return read;
            });
  }

  private static BreakerOptions active(ConfigEntry entry, BreakerOptions base, boolean on) {
    if (on && !OptionalLibrary.RESILIENCE4J.isPresent()) {
      entry.wrong(
          entry.line("breaker"), OptionalLibrary.RESILIENCE4J.missing(), "Or remove \"breaker\"");
    }
    return RecordCopy.with(base, "active", on);
  }

  private static Backoff backoff(ConfigEntry entry, Backoff base) {
    Optional<Duration> first = entry.duration("initial");
    Optional<Duration> last = entry.duration("max");
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
        entry.number("factor").orElse(base.factor()),
        entry.number("jitter").orElse(base.jitter()));
  }
}
