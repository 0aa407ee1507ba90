package dev.mcpbus.bus;

import dev.mcpbus.protocol.PublicApi;
import dev.mcpbus.protocol.Sha256;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The name of a tool for models and MCP clients: {@code server__tool}, 1 to {@value #MAX_LENGTH}
 * characters of {@code [A-Za-z0-9_-]}, never a digit first. Pure.
 *
 * <p>A server's id contains no underscore, so the first underscore ends it and {@link #parse} can
 * read a <em>plain</em> name. If the tool's name has other characters, or the name would be too
 * long or look like a hashed name, the name is <em>hashed</em>: a readable head, an underscore and
 * 16 hex digits of SHA-256 over the server and the tool. No plain name ends like that, so a plain
 * name never equals a hashed one. Two hashed names are equal only if their hashes are; {@code
 * RoutingTable} finds that.
 */
@PublicApi
public final class RoutingName {

  /** The longest name that the APIs of all model vendors accept. */
  public static final int MAX_LENGTH = 64;

  static final int HASH_DIGITS = 16;

  private static final Pattern CLEAN = Pattern.compile("[A-Za-z0-9_-]+");
  private static final Pattern HASHED = Pattern.compile(".*_[0-9a-f]{" + HASH_DIGITS + "}");
  private static final String SEPARATOR = "__";

  private RoutingName() {}

  public static String of(ToolName tool) {
    String plain = start(tool.server()) + SEPARATOR + tool.tool();
    return isPlain(plain) ? plain : hashed(plain, hash(tool));
  }

  /** The tool of a plain name; empty for a hashed name and for any other text. */
  public static Optional<ToolName> parse(String name) {
    int end = name.indexOf('_', name.startsWith("_") ? 1 : 0);
    if (end < 0 || !name.startsWith(SEPARATOR, end) || !isPlain(name)) {
      return Optional.empty();
    }
    String tool = name.substring(end + SEPARATOR.length());
    String server = name.substring(name.startsWith("_") ? 1 : 0, end);
    boolean own = !tool.isEmpty() && !server.isEmpty() && name.startsWith(start(server));
    return own ? Optional.of(new ToolName(server, tool)) : Optional.empty();
  }

  /** True if {@code name} may be a hashed name; only a table of all tools can resolve it. */
  public static boolean isHashed(String name) {
    return name.length() <= MAX_LENGTH && HASHED.matcher(name).matches();
  }

  private static boolean isPlain(String name) {
    return name.length() <= MAX_LENGTH
        && CLEAN.matcher(name).matches()
        && !HASHED.matcher(name).matches();
  }

  /** Gemini requires a letter or an underscore first; an id may begin with a digit. */
  private static String start(String server) {
    boolean digit = !server.isEmpty() && Character.isDigit(server.charAt(0));
    return digit ? "_" + server : server;
  }

  private static String hashed(String plain, String hash) {
    String head = plain.replaceAll("[^A-Za-z0-9_-]", "_");
    int room = MAX_LENGTH - 1 - HASH_DIGITS;
    return head.substring(0, Math.min(head.length(), room)) + "_" + hash;
  }

  private static String hash(ToolName tool) {
    return Sha256.hex(tool.server() + '\0' + tool.tool()).substring(0, HASH_DIGITS);
  }
}
