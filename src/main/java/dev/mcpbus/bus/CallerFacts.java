package dev.mcpbus.bus;

import io.vertx.core.MultiMap;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonObject;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * For whom a server of callers acts: one connection for each different value. Immutable.
 *
 * @param principal the name of the principal
 * @param headers those of its request that the server's entry may use, by names in small letters
 */
public record CallerFacts(String principal, SortedMap<String, String> headers) {

  private static final String CALLER = "caller";
  private static final String PRINCIPAL = "principal";
  private static final String HEADERS = "headers";

  /** Characters of all headers together; a request with more is refused by its door. */
  public static final int MAX_HEADERS = 4_096;

  public CallerFacts {
    headers = Collections.unmodifiableSortedMap(new TreeMap<>(headers));
  }

  /** A caller of whose request no header counts. */
  public CallerFacts(String principal) {
    this(principal, Collections.emptySortedMap());
  }

  /**
   * The caller of a message; null for a program that names none.
   *
   * @param wanted the names of the headers that count
   */
  public static @Nullable CallerFacts of(MultiMap message, Iterable<String> wanted) {
    Requester requester = Requester.of(message);
    if (requester == null) {
      return null;
    }
    SortedMap<String, String> headers = new TreeMap<>();
    String sent = message.get(Headers.CALLER_HEADERS);
    if (sent != null) {
      JsonObject all = new JsonObject(sent);
      for (String name : wanted) {
        if (all.getValue(name) instanceof String value) {
          headers.put(name, value);
        }
      }
    }
    return new CallerFacts(requester.name(), headers);
  }

  /**
   * The caller of an HTTP request.
   *
   * @throws McpFailure {@code BAD_REQUEST} for more than {@value #MAX_HEADERS} characters, or for a
   *     header that stands there twice
   */
  public static CallerFacts ofRequest(String principal, MultiMap request, Iterable<String> wanted) {
    SortedMap<String, String> headers = new TreeMap<>();
    int length = 0;
    for (String name : wanted) {
      List<String> all = request.getAll(name);
      if (all.size() > 1) {
        throw McpFailure.badRequest("the header " + name + " stands in the request twice");
      }
      if (!all.isEmpty()) {
        headers.put(name, all.get(0));
        length += all.get(0).length();
      }
    }
    if (length > MAX_HEADERS) {
      throw McpFailure.badRequest(
          "the headers "
              + headers.keySet()
              + " have "
              + length
              + " characters, the limit is "
              + MAX_HEADERS);
    }
    return new CallerFacts(principal, headers);
  }

  /** The headers as one text, for {@link #ofText}; null for none. */
  public @Nullable String text() {
    return headers.isEmpty() ? null : headersJson().encode();
  }

  /** A caller with the headers of {@link #text}. */
  public static CallerFacts ofText(String principal, @Nullable String text) {
    if (text == null) {
      return new CallerFacts(principal);
    }
    SortedMap<String, String> headers = new TreeMap<>();
    new JsonObject(text).forEach(one -> headers.put(one.getKey(), String.valueOf(one.getValue())));
    return new CallerFacts(principal, headers);
  }

  /** Adds what {@link #of} reads to the options of a message. */
  public DeliveryOptions addTo(DeliveryOptions options) {
    new Requester(principal, false).addTo(options);
    addHeaders(options);
    return options;
  }

  /** Adds the headers alone, to a message that names its principal. */
  public void addHeaders(DeliveryOptions options) {
    CallHeaders.add(options, Headers.CALLER_HEADERS, text());
  }

  private JsonObject headersJson() {
    JsonObject all = new JsonObject();
    headers.forEach(all::put);
    return all;
  }

  /** The member of a request for a connection. */
  public JsonObject into(JsonObject body) {
    return body.put(CALLER, new JsonObject().put(PRINCIPAL, principal).put(HEADERS, headersJson()));
  }

  /** Reads the member that {@link #into} writes; null without it. */
  public static @Nullable CallerFacts in(JsonObject body) {
    if (!(body.getValue(CALLER) instanceof JsonObject caller)) {
      return null;
    }
    SortedMap<String, String> headers = new TreeMap<>();
    for (Map.Entry<String, Object> one :
        caller.getJsonObject(HEADERS, new JsonObject()).getMap().entrySet()) {
      headers.put(one.getKey(), String.valueOf(one.getValue()));
    }
    return new CallerFacts(caller.getString(PRINCIPAL, ""), headers);
  }

  /** The principal alone: values of headers may be secrets. */
  @Override
  public String toString() {
    return "caller " + principal;
  }
}
