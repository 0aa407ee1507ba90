package dev.mcpbus.bus;

import dev.mcpbus.protocol.PublicApi;
import dev.mcpbus.protocol.ServerId;
import dev.mcpbus.protocol.Sha256;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * The id of a server, and of its connection on the bus. It is a DNS label: it contains no dot, so
 * no id can form the address of another connection. Immutable.
 *
 * @param value 1 to 63 characters of {@code [a-z0-9-]}, no hyphen at either end
 */
@PublicApi
public record ConnectionId(String value) {

  private static final Pattern LABEL = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");

  /** Between the id of a server and the random part in the id of a private connection. */
  private static final String PRIVATE = "--";

  /** Hexadecimal digits of the random part. */
  private static final int RANDOM = 32;

  /** Characters of the server's id that the id of a private connection begins with. */
  private static final int HEAD = 28;

  public ConnectionId {
    String problem = problem(value);
    if (problem != null) {
      throw new IllegalArgumentException(problem);
    }
  }

  /** The id, or empty if {@code text} is not a valid id. */
  public static Optional<ConnectionId> parse(String text) {
    return problem(text) == null ? Optional.of(new ConnectionId(text)) : Optional.empty();
  }

  /**
   * The id of the server that a caller means by its id or by its name as written; empty if no
   * server can have that name.
   */
  public static Optional<ConnectionId> named(String text) {
    return parse(text).or(() -> parse(ServerId.of(text)));
  }

  /** Whether {@code text} is a word of the bus's own addresses, which no connection can have. */
  static boolean isReserved(String text) {
    return ServerId.RESERVED.contains(text);
  }

  /** Why {@code text} is not a valid id, with the remedy; null if it is valid. */
  public static @org.jspecify.annotations.Nullable String problem(String text) {
    if (ServerId.RESERVED.contains(text)) {
      return "'" + text + "' is reserved for the bus's own addresses; choose another name";
    }
    if (!LABEL.matcher(text).matches()) {
      return "'"
          + abbreviate(text)
          + "' is not a valid id: use 1 to 63 letters a-z, digits and inner hyphens";
    }
    return null;
  }

  /**
   * A new id for a private connection: that of its server, which makes logs readable, and 122
   * random bits.
   */
  public static ConnectionId ofPrivate(ConnectionId server) {
    String head = server.value.substring(0, Math.min(server.value.length(), HEAD));
    return new ConnectionId(head + PRIVATE + UUID.randomUUID().toString().replace("-", ""));
  }

  /** The same id each time for what is kept of a server for one principal, such as pins. */
  public static ConnectionId ofPrincipal(ConnectionId server, String principal) {
    String head = server.value.substring(0, Math.min(server.value.length(), HEAD));
    String digest = Sha256.hex(server.value + "\n" + principal).substring(0, RANDOM);
    return new ConnectionId(head + PRIVATE + digest);
  }

  /**
   * Whether {@code id} has the form of {@link #ofPrivate}. Only the client that has the connection
   * uses it, and an operator: no other caller may reach it by its id, which no policy names.
   */
  public static boolean isPrivate(String id) {
    int random = id.length() - RANDOM;
    return random > PRIVATE.length()
        && id.startsWith(PRIVATE, random - PRIVATE.length())
        && id.substring(random).chars().allMatch(ConnectionId::isHexadecimal);
  }

  /** What the id of a private connection begins with: the head of its server's id. */
  String withoutRandomPart() {
    return isPrivate(value)
        ? value.substring(0, value.length() - RANDOM - PRIVATE.length())
        : value;
  }

  private static boolean isHexadecimal(int c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
  }

  private static String abbreviate(String text) {
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < Math.min(text.length(), 80); i++) {
      char c = text.charAt(i);
      if (c < 0x20 || c > 0x7E) {
        out.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
      } else {
        out.append(c);
      }
    }
    return text.length() > 80 ? out + "..." : out.toString();
  }

  @Override
  public String toString() {
    return value;
  }
}
