package dev.mcpbus.connection;

import dev.mcpbus.protocol.FailureLines;
import io.vertx.core.json.JsonObject;
import java.util.regex.Pattern;

/** Says what a program wrote in place of an answer to the handshake. Pure. */
final class NonMcpOutput {

  private static final int SHOWN_LINES = 3;

  private static final Pattern SERVES_HTTP =
      Pattern.compile(
          "https?://(localhost|127\\.0\\.0\\.1|0\\.0\\.0\\.0|\\[::1?\\])"
              + "|(?i)listening on (port )?:?\\d{2,5}");

  private NonMcpOutput() {}

  /**
   * The end of a sentence; empty for a server that is no child process.
   *
   * @param diagnostics of its session: {@code pid}, {@code readBytes} of stdout, {@code stdout}
   *     with its first lines that were no messages, {@code stderr}
   */
  static String said(JsonObject diagnostics) {
    if (!diagnostics.containsKey("pid")) {
      return "";
    }
    String out = FailureLines.head(diagnostics.getString("stdout", ""), SHOWN_LINES);
    String err = diagnostics.getString("stderr", "");
    String tail = FailureLines.tail(err, SHOWN_LINES);
    boolean silent = diagnostics.getLong("readBytes", 0L) == 0;
    return (!out.isEmpty()
            ? "; stdout said: " + out
            : silent ? " and nothing on stdout" : ", only other messages on stdout")
        + (tail.isEmpty() ? "" : "; stderr: " + tail)
        + ". "
        + advice(out + "\n" + err);
  }

  private static String advice(String said) {
    String known = FailureLines.remedy(said);
    if (!known.isEmpty()) {
      return Character.toUpperCase(known.charAt(0)) + known.substring(1);
    }
    return SERVES_HTTP.matcher(said).find()
        ? "It seems to serve HTTP: start it by itself and give its \"url\", or give it the argument"
            + " for stdio"
        : "Is it an MCP server for stdio? One that starts slowly needs a longer \"handshakeTimeout\","
            + " a command that installs it first, such as npx, a longer \"installTimeout\"";
  }
}
