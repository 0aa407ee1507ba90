package dev.mcpbus.testing;

import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.ProtocolVersion;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.server.RawServer;
import dev.mcpbus.server.RequestException;
import dev.mcpbus.server.ServerRequest;
import io.vertx.core.Future;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * The answers of a real server, as {@code mcpbus record} writes them: JSON Lines, the first of
 * which has {@code recording}, each other one {@code method}, {@code params}, {@code notifications}
 * and {@code result} or {@code error}. Any thread may call.
 */
final class Recording {

  private static final List<String> ALWAYS = List.of("tools", "logging");

  private final Path file;
  private final List<JsonObject> entries;

  /** How often each was played; by the entry that was found first. */
  private final Map<String, Integer> played = new ConcurrentHashMap<>();

  private Recording(Path file, List<JsonObject> entries) {
    this.file = file;
    this.entries = entries;
  }

  static Recording read(Path file) {
    List<JsonObject> lines = new ArrayList<>();
    int number = 0;
    try {
      for (String line : Files.readAllLines(file)) {
        number++;
        if (!line.isBlank()) {
          lines.add(entry(new JsonObject(line), lines.isEmpty()));
        }
      }
    } catch (NoSuchFileException e) {
      throw new IllegalArgumentException("there is no recording " + file, e);
    } catch (IOException e) {
      throw new IllegalArgumentException("the recording " + file + " cannot be read", e);
    } catch (DecodeException e) {
      throw new IllegalArgumentException(
          "line " + number + " of the recording " + file + " is no answer to a request", e);
    }
    if (lines.isEmpty() || !Integer.valueOf(1).equals(lines.get(0).getValue("recording"))) {
      throw new IllegalArgumentException(
          file + " is no recording; \"mcpbus record SERVER -o FILE\" makes one");
    }
    return new Recording(file, List.copyOf(lines.subList(1, lines.size())));
  }

  private static JsonObject entry(JsonObject line, boolean isFirst) {
    boolean isAnswer =
        line.getValue("method") instanceof String
            && line.getValue("params") instanceof JsonObject
            && (line.getValue("result") instanceof JsonObject
                || line.getValue("error") instanceof JsonObject);
    if (!isFirst && !isAnswer) {
      throw new DecodeException("it lacks method, params, and result or error");
    }
    return line;
  }

  /** The result of the handshake. */
  private JsonObject handshake() {
    return Stream.of(Methods.DISCOVER, Methods.INITIALIZE)
        .flatMap(method -> entries.stream().filter(one -> method.equals(one.getString("method"))))
        .map(one -> one.getJsonObject("result"))
        .filter(Objects::nonNull)
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException(file + " has no handshake"));
  }

  private JsonObject info() {
    JsonObject handshake = handshake();
    JsonObject meta = handshake.getJsonObject("_meta", new JsonObject());
    return handshake.getJsonObject(
        "serverInfo", meta.getJsonObject("io.modelcontextprotocol/serverInfo", new JsonObject()));
  }

  String name() {
    return info().getString("name", "recorded");
  }

  String version() {
    return info().getString("version", "");
  }

  /** Makes the server answer as recorded. */
  void play(RawServer server) {
    JsonObject handshake = handshake();
    JsonArray spoken =
        handshake.getJsonArray(
            "supportedVersions", new JsonArray().add(handshake.getValue("protocolVersion")));
    ProtocolVersion[] known =
        spoken.stream()
            .map(version -> ProtocolVersion.ofWire(String.valueOf(version)))
            .flatMap(Optional::stream)
            .toArray(ProtocolVersion[]::new);
    server.versions(known).otherwise(this::answer);
    JsonObject capabilities = handshake.getJsonObject("capabilities", new JsonObject());
    // Some servers say true in place of {}.
    capabilities.forEach(
        each ->
            server.capability(
                each.getKey(),
                each.getValue() instanceof JsonObject said ? said : new JsonObject()));
    ALWAYS.stream()
        .filter(name -> !capabilities.containsKey(name))
        .forEach(server::withoutCapability);
    String instructions = handshake.getString("instructions");
    if (instructions != null) {
      server.instructions(instructions);
    }
  }

  private Future<JsonObject> answer(ServerRequest request, JsonObject params) {
    JsonObject asked = params.copy();
    asked.remove("_meta");
    List<JsonObject> fitting = fitting(request.method(), asked, false);
    if (fitting.isEmpty()) {
      fitting = fitting(request.method(), asked, true);
    }
    if (fitting.isEmpty()) {
      return Future.failedFuture(unknown(request.method(), asked));
    }
    int turn = played.merge(fitting.get(0).encode(), 1, Integer::sum) - 1;
    JsonObject entry = fitting.get(Math.min(turn, fitting.size() - 1));
    Future<Void> told = Future.succeededFuture();
    for (Object each : entry.getJsonArray("notifications", new JsonArray())) {
      told = told.compose(before -> tell(request, (JsonObject) each));
    }
    JsonObject error = entry.getJsonObject("error");
    return told.compose(
        all ->
            error == null
                ? Future.succeededFuture(entry.getJsonObject("result").copy())
                : Future.failedFuture(
                    new RequestException(
                        error.getInteger("code", JsonRpcError.INTERNAL_ERROR),
                        error.getString("message", ""),
                        error.getValue("data") instanceof JsonObject data ? data : null)));
  }

  private List<JsonObject> fitting(String method, JsonObject asked, boolean masks) {
    return entries.stream()
        .filter(one -> method.equals(one.getString("method")))
        .filter(one -> fits(one.getJsonObject("params"), asked, masks))
        .toList();
  }

  private static Future<Void> tell(ServerRequest request, JsonObject notification) {
    String method = notification.getString("method");
    JsonObject params = notification.getJsonObject("params", new JsonObject());
    return method.equals(Methods.PROGRESS)
        ? request.progress(
            params.getDouble("progress"), params.getDouble("total"), params.getString("message"))
        : request.notify(method, params);
  }

  /** Whether it is the same; with {@code masks} a masked text stands for any value. */
  private static boolean fits(Object recorded, Object asked, boolean masks) {
    if (masks && recorded instanceof String text && text.contains(Sensitive.MASK)) {
      return true;
    }
    if (recorded instanceof JsonObject object && asked instanceof JsonObject other) {
      return object.fieldNames().equals(other.fieldNames())
          && object.fieldNames().stream()
              .allMatch(name -> fits(object.getValue(name), other.getValue(name), masks));
    }
    if (recorded instanceof JsonArray array && asked instanceof JsonArray other) {
      boolean same = array.size() == other.size();
      for (int i = 0; same && i < array.size(); i++) {
        same = fits(array.getValue(i), other.getValue(i), masks);
      }
      return same;
    }
    if (recorded instanceof Number number && asked instanceof Number other) {
      return number.doubleValue() == other.doubleValue();
    }
    return Objects.equals(recorded, asked);
  }

  private RequestException unknown(String method, JsonObject asked) {
    String nearest =
        entries.stream()
            .filter(one -> method.equals(one.getString("method")))
            .map(one -> one.getJsonObject("params"))
            .max(Comparator.comparingInt(one -> alike(one, asked)))
            .map(one -> "the nearest is " + method + " " + one.encode())
            .orElseGet(() -> "it has " + methods());
    return new RequestException(
        JsonRpcError.INVALID_PARAMS,
        "the recording "
            + file.getFileName()
            + " has no "
            + method
            + " "
            + asked.encode()
            + "; "
            + nearest
            + "; \"mcpbus record\" makes a new one");
  }

  private Collection<String> methods() {
    return entries.stream().map(one -> one.getString("method")).distinct().sorted().toList();
  }

  /** How many values agree; the name of a tool counts more than its arguments. */
  private static int alike(JsonObject recorded, JsonObject asked) {
    int count = 0;
    for (String name : recorded.fieldNames()) {
      Object one = recorded.getValue(name);
      Object other = asked.getValue(name);
      if (one instanceof JsonObject object && other instanceof JsonObject also) {
        count += alike(object, also);
      } else if (asked.containsKey(name)) {
        count += !fits(one, other, true) ? 1 : (name.equals("name") ? 1_000 : 2);
      }
    }
    return count;
  }
}
