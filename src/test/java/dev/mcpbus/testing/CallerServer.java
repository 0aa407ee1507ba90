package dev.mcpbus.testing;

import dev.mcpbus.protocol.Sha256;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;

/**
 * A server that knows who calls and keeps notes for each person, by {@code
 * src/test/npm/caller-server.mjs}, over HTTP. {@link #stdio} gives the entry of one that is a
 * child.
 */
public final class CallerServer implements AutoCloseable {

  private final NodeScript script;
  private final URI url;

  private CallerServer(String... args) {
    script = NodeScript.own("caller-server.mjs", args);
    url = URI.create(script.next(line -> line.startsWith("http://")));
  }

  /**
   * One that takes tokens of an issuer that were made for its URL.
   *
   * @param era {@code legacy}, {@code modern} or {@code both}
   */
  public static CallerServer ofTokens(String era, IdentityProvider issuer) {
    return new CallerServer(era, "oauth", issuer.issuer());
  }

  /** One that takes a {@link #secret} in the header {@code X-Token}, or as {@code ?token=}. */
  public static CallerServer ofSecrets(String era) {
    return new CallerServer(era, "secret");
  }

  /**
   * An entry of {@code mcpServers} that takes a {@link #secret} in the variable {@code
   * PERSONAL_TOKEN}.
   *
   * @param value of the variable, such as a template
   */
  public static JsonObject stdio(String era, String value) {
    return new JsonObject()
        .put("command", NpmServers.node())
        .put(
            "args",
            new JsonArray()
                .add(Path.of("src", "test", "npm", "caller-server.mjs").toAbsolutePath().toString())
                .add(era)
                .add("stdio"))
        .put("env", new JsonObject().put("PERSONAL_TOKEN", value));
  }

  /** What names a person where no issuer does. */
  public static String secret(String person) {
    return "token-of-" + person;
  }

  public URI url() {
    return url;
  }

  /** A client of it that shares nothing with mcpbus. */
  public McpHttp direct() {
    return new McpHttp(url.getPort(), url.getPath());
  }

  /** The MCP requests so far: {@code method}, {@code person}, {@code headers}. */
  public List<JsonObject> requests() {
    return lines("{\"method\"");
  }

  /** Sessions that a second person used: there must be none. */
  public List<JsonObject> crossed() {
    return lines("{\"crossed\"");
  }

  /** Whether a text such as a token has arrived in a header, a URL or a body, accepted or not. */
  public boolean hasSeen(String word) {
    String hash = Sha256.hex(word);
    return lines("{\"arrived\"").stream()
        .anyMatch(line -> line.getJsonArray("arrived").contains(hash));
  }

  private List<JsonObject> lines(String beginning) {
    return script.out().stream()
        .filter(line -> line.startsWith(beginning))
        .map(JsonObject::new)
        .toList();
  }

  @Override
  public void close() {
    script.close();
  }
}
