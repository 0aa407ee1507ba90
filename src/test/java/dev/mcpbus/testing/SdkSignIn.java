package dev.mcpbus.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A client of one of the official TypeScript SDKs with its own OAuth code, by {@code
 * src/test/npm/sdk-sign-in.mjs}. Where it wants a browser, {@link FormBrowser} goes.
 */
public final class SdkSignIn implements AutoCloseable {

  /** Nobody listens there: the test takes the code out of the address. */
  private static final String REDIRECT = "http://127.0.0.1:7/done";

  private final NodeScript script;
  private final List<JsonObject> saved = new ArrayList<>();
  private @Nullable URI authorize;

  /**
   * Starts it.
   *
   * @param kind {@code v1}, {@code v2-legacy} or {@code v2-modern}
   * @param more {@code dpop} for tokens that are bound to a key of the client
   */
  public SdkSignIn(String kind, String url, String... more) {
    List<String> args = new ArrayList<>(List.of(kind, url, REDIRECT));
    args.addAll(List.of(more));
    script = NodeScript.own("sdk-sign-in.mjs", args.toArray(String[]::new));
  }

  /** Signs in: it is refused, a person walks the pages, and it is connected. */
  public void signIn(String person) {
    assertThat(refusal("connect")).contains("Unauthorized");
    URI back =
        new FormBrowser().signIn(asked(), person, uri -> uri.toString().startsWith(REDIRECT));
    answer(new JsonObject().put("callback", back.toString()));
    answer(new JsonObject().put("connect", true));
  }

  /** Where it has last sent a person. */
  public URI asked() {
    return Objects.requireNonNull(authorize, "it has sent nobody anywhere");
  }

  /** The names of the tools that it lists. */
  public List<String> tools() {
    return order(new JsonObject().put("list", true)).getJsonArray("result").stream()
        .map(String.class::cast)
        .toList();
  }

  /** The text that a tool answers with. */
  public String call(String tool) {
    return McpHttp.text(answer(new JsonObject().put("call", tool)));
  }

  /** Why an order failed. */
  public String refusal(String order) {
    return order(new JsonObject().put(order, true)).getString("error", "");
  }

  /** Why a tool could not be called. */
  public String refusedCall(String tool) {
    return order(new JsonObject().put("call", tool)).getString("error", "");
  }

  /** Makes its access token a wrong one, as if it had ended. */
  public void spoil() {
    answer(new JsonObject().put("spoil", true));
  }

  /** What it has: {@code access_token}, {@code refresh_token}, {@code client_id}. */
  public JsonObject tokens() {
    return answer(new JsonObject().put("tokens", true));
  }

  /** What token endpoints have answered so far. */
  public List<JsonObject> saved() {
    return saved;
  }

  private JsonObject answer(JsonObject order) {
    JsonObject line = order(order);
    assertThat(line.getString("error")).as(order.encode()).isNull();
    return line.getJsonObject("result", new JsonObject());
  }

  private JsonObject order(JsonObject order) {
    script.send(order);
    while (true) {
      JsonObject line = new JsonObject(script.next(text -> text.startsWith("{")));
      if (line.containsKey("authorize")) {
        authorize = URI.create(line.getString("authorize"));
      } else if (line.containsKey("saved")) {
        saved.add(line.getJsonObject("saved"));
      } else if (line.containsKey("result") || line.containsKey("error")) {
        return line;
      }
    }
  }

  @Override
  public void close() {
    script.close();
  }
}
