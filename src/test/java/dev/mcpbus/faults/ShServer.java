package dev.mcpbus.faults;

import dev.mcpbus.protocol.Era;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

/**
 * A small MCP server in POSIX sh: starts within milliseconds, serves {@code echo} and whatever a
 * test adds. A tool call is answered with the server's own pid as its text. The script does without
 * {@code ${...}}, which the configuration takes for variables of its own.
 */
final class ShServer {

  private static final String SCRIPT =
      """
      answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\\n' "$id" "$1"; }
      text() { answer '{"content":[{"type":"text","text":"'"$1"'"}]}'; }
      initialize() {
        answer '{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},\
      "serverInfo":{"name":"sh","version":"1.0.0"}}'
      }
      @START@
      while IFS=':,' read -r brace version key id rest; do
        line="$key:$id,$rest"
        [ "$key" = '"id"' ] || id=
        case $line in
          @CASES@
          *'"method":"initialize"'*) initialize ;;
          *'"method":"notifications/'*) ;;
          *'"method":"tools/list"'*)
            answer '{"tools":[{"name":"echo","inputSchema":{"type":"object"}}@TOOLS@]}' ;;
          *'"method":"tools/call"'*) text $$ ;;
          *) answer '{}' ;;
        esac
      done
      """;

  private ShServer() {}

  /** Behaves well. */
  static JsonObject good() {
    return of("", "");
  }

  /**
   * @param start runs before anything is read
   * @param cases of {@code case $line in}, tried first; {@code $id} is the request's, and {@code
   *     text} and {@code answer} reply
   * @param tools listed besides {@code echo}
   */
  static JsonObject of(String start, String cases, String... tools) {
    StringBuilder listed = new StringBuilder();
    for (String tool : tools) {
      listed.append(",{\"name\":\"").append(tool).append("\",\"inputSchema\":{}}");
    }
    return raw(
        SCRIPT
            .replace("@START@", start)
            .replace("@CASES@", cases)
            .replace("@TOOLS@", listed.toString()));
  }

  /** What a discover server says of itself. */
  static final String DISCOVERED =
      "{\"resultType\":\"complete\",\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{\"tools\":"
          + "{\"listChanged\":true}},\"ttlMs\":0,\"cacheScope\":\"private\",\"_meta\":{"
          + "\"io.modelcontextprotocol/serverInfo\":{\"name\":\"sh\",\"version\":\"1.0.0\"}}}";

  /** The same in the {@code discover} era, and in that alone. */
  static JsonObject discover(String start, String cases, String... tools) {
    String era =
        """

        *'"method":"server/discover"'*) answer '@DISCOVERED@' ;;
        *'"method":"subscriptions/listen"'*) ;;
        *'"method":"initialize"'*)
          printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32022,"message":"no","data":\
        {"supported":["2026-07-28"]}}}\\n' "$id" ;;
        """;
    return of(start, cases + era.replace("@DISCOVERED@", DISCOVERED), tools);
  }

  /** One of the two. */
  static JsonObject of(Era era, String start, String cases, String... tools) {
    return era == Era.DISCOVER ? discover(start, cases, tools) : of(start, cases, tools);
  }

  /** Any script. */
  static JsonObject raw(String script) {
    return new JsonObject().put("command", "sh").put("args", new JsonArray().add("-c").add(script));
  }
}
