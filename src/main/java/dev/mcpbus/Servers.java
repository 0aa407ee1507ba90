package dev.mcpbus;

import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.ServerEntry;
import dev.mcpbus.config.RpcLogMode;
import dev.mcpbus.protocol.PublicApi;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.transport.EmbeddedTransportOptions;
import dev.mcpbus.transport.Transport;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The entry of one server, with the keys that a file has under {@code mcpServers}. Immutable: each
 * method gives a copy. Nothing is checked here; what takes the entry checks it as that of a file.
 *
 * <pre>{@code
 * Servers.stdio("npx").args("-y", "@scope/server").env("TOKEN", "${env:TOKEN}").lazy(true)
 * }</pre>
 *
 * <p>Texts may hold variables, as in a file. Durations are written in milliseconds.
 */
@PublicApi
public final class Servers implements ServerEntry {

  private final JsonObject entry;
  private final @Nullable EmbeddedTransportOptions transport;

  private Servers(JsonObject entry, @Nullable EmbeddedTransportOptions transport) {
    this.entry = entry;
    this.transport = transport;
  }

  /** A program, which speaks on stdin and stdout. */
  public static Servers stdio(String command) {
    return fromJson(new JsonObject()).set("command", command);
  }

  /** A server over HTTP; also a URL with {@code tcp}, {@code unix} or the scheme of a plug-in. */
  public static Servers http(String url) {
    return fromJson(new JsonObject()).set("url", url);
  }

  /** A server of some program at an address of the event bus. */
  public static Servers bus(String address) {
    return fromJson(new JsonObject()).set("address", address);
  }

  /**
   * A server over a transport that the program made, such as {@code InMemoryTransport}. The entry
   * has the settings alone, so JSON cannot say how to reach it, and no address of the bus takes it.
   */
  public static Servers transport(Transport own) {
    return new Servers(new JsonObject(), new EmbeddedTransportOptions(own));
  }

  /** The entry of a file; it is copied. */
  public static Servers fromJson(JsonObject entry) {
    return new Servers(entry.copy(), null);
  }

  @Override
  public JsonObject toJson() {
    return entry.copy();
  }

  @Override
  public JsonObject toMessage() {
    if (transport != null) {
      throw McpFailure.badRequest(
          "a transport that the program has made cannot be sent to mcp.servers.add; give it to"
              + " McpBus.add or McpBus.Options.withServer");
    }
    return toJson();
  }

  /** The transport that the program made; null where the entry says how to reach the server. */
  @Nullable EmbeddedTransportOptions transport() {
    return transport;
  }

  /**
   * With a key of an entry.
   *
   * @param value as JSON has it; null takes the key away
   */
  public Servers set(String key, @Nullable Object value) {
    JsonObject changed = toJson();
    changed.remove(key);
    if (value != null) {
      changed.put(key, value);
    }
    return new Servers(changed.copy(), transport);
  }

  private Servers set(String key, Duration value) {
    return set(key, value.toMillis() + "ms");
  }

  private Servers member(String key, String name, String value) {
    return set(key, toJson().getJsonObject(key, new JsonObject()).put(name, value));
  }

  /** The arguments of the program, in place of those before. */
  public Servers args(String... args) {
    return set("args", new JsonArray(List.of(args)));
  }

  /** One more variable of the program. */
  public Servers env(String name, String value) {
    return member("env", name, value);
  }

  /** The folder in which the program runs. */
  public Servers cwd(Path folder) {
    return set("cwd", folder.toString());
  }

  /** One more header of each request over HTTP. */
  public Servers header(String name, String value) {
    return member("headers", name, value);
  }

  /** How long a call without a deadline of its own may take; default 120 s. */
  public Servers timeout(Duration atMost) {
    return set("timeout", atMost);
  }

  /** From the connection to the end of the handshake; default 30 s. */
  public Servers handshakeTimeout(Duration atMost) {
    return set("handshakeTimeout", atMost);
  }

  /** For connections over HTTP and sockets; default 5 s. */
  public Servers connectTimeout(Duration atMost) {
    return set("connectTimeout", atMost);
  }

  /** Whether it connects at the first call only; default false. */
  public Servers lazy(boolean on) {
    return set("lazy", on);
  }

  /** How it is restarted: {@code type}, {@code intensity}, {@code backoff} and the others. */
  public Servers restart(JsonObject restart) {
    return set("restart", restart);
  }

  /** How long calls in flight may take when it is stopped; default 5 s. */
  public Servers drain(Duration atMost) {
    return set("drain", atMost);
  }

  /** Where its messages are logged; default: what the options say for all. */
  public Servers rpcLog(RpcLogMode mode) {
    return set("rpcLog", mode.word());
  }

  /** Whether a server is refused that offers more than tools; default false. */
  public Servers toolsOnly(boolean on) {
    return set("toolsOnly", on);
  }

  /** Whether the definitions of its tools are pinned at their first use; default false. */
  public Servers pin(boolean on) {
    return set("pin", on);
  }

  /** The questions that it may ask in any case, such as {@code elicitation}. */
  public Servers capabilities(String... words) {
    return set("capabilities", new JsonArray(List.of(words)));
  }

  /** The labels that a node of a cluster must have to run it. */
  public Servers labels(String... labels) {
    return set("labels", new JsonArray(List.of(labels)));
  }

  /** The keys; values may be secrets. */
  @Override
  public String toString() {
    return entry.fieldNames().stream()
        .map(key -> key + ": " + Sensitive.MASK)
        .collect(Collectors.joining(", ", transport == null ? "{" : transport.kind() + " {", "}"));
  }
}
