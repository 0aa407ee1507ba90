package dev.mcpbus.testing;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * An MCP server on stdin and stdout, of the era that its argument names, with one tool {@code meta}
 * that gives back the {@code _meta} of its call. Needs nothing but the JDK.
 */
public final class MetaServer {

  private MetaServer() {}

  /** The command line of a server, the program first. */
  public static List<String> command(String era) {
    URI classes =
        URI.create(MetaServer.class.getProtectionDomain().getCodeSource().getLocation().toString());
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-XX:TieredStopAtLevel=1",
        "-XX:+UseSerialGC",
        "-cp",
        Path.of(classes).toString(),
        MetaServer.class.getName(),
        era);
  }

  public static void main(String[] args) throws IOException {
    boolean discover = args[0].equals("discover");
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      Object message = TinyJson.parse(line);
      Object id = ((Map<?, ?>) message).get("id");
      if (id != null) {
        Map<?, ?> params = TinyJson.object(message, "params");
        String answer = answer(discover, TinyJson.string(message, "method", ""), params);
        System.out.println(
            "{\"jsonrpc\":\"2.0\",\"id\":" + TinyJson.write(id) + "," + answer + "}");
      }
    }
  }

  private static String answer(boolean discover, String method, Map<?, ?> params) {
    String complete = discover ? "\"resultType\":\"complete\"," : "";
    return switch (method) {
      case "server/discover" -> discover ? ScriptedPeer.DISCOVERED : refused();
      case "initialize" -> discover ? refused() : ScriptedPeer.INITIALIZED;
      case "tools/list" ->
          "\"result\":{"
              + complete
              + "\"ttlMs\":60000,\"cacheScope\":\"public\",\"tools\":[{\"name\":\"meta\","
              + "\"inputSchema\":{\"type\":\"object\"}}]}";
      case "tools/call" ->
          "\"result\":{"
              + complete
              + "\"content\":[{\"type\":\"text\",\"text\":"
              + TinyJson.quote(TinyJson.write(params.get("_meta")))
              + "}]}";
      default -> refused();
    };
  }

  private static String refused() {
    return "\"error\":{\"code\":-32601,\"message\":\"no such method\"}";
  }
}
