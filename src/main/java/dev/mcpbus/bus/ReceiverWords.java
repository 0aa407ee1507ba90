package dev.mcpbus.bus;

import dev.mcpbus.protocol.Printable;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the receiver of a message is called in the text of a failure. A reader knows servers and
 * nodes; the addresses of mcpbus itself, and the random ids in them, say nothing to anybody. Pure
 * functions.
 */
public final class ReceiverWords {

  private static final String NO_HANDLERS = "No handlers for address ";

  private static final String GATEWAY = Addresses.OURS + "gateway.";

  /** A longer part of an address is an id. */
  private static final int MAX_WORD = 14;

  private ReceiverWords() {}

  /**
   * Why a request found nobody.
   *
   * @param message of the bus, which names the address
   */
  static String absent(@Nullable String message) {
    if (message == null || !message.startsWith(NO_HANDLERS)) {
      return "nothing answers this request: " + message;
    }
    String address = message.substring(NO_HANDLERS.length());
    return serverAddress(address)
        .map(
            one ->
                server(one.server())
                    + " does not answer"
                    + operation(one.suffix())
                    + ": there is none, or it is starting or ending; mcpbus status lists the"
                    + " servers")
        .orElseGet(() -> absentService(address));
  }

  /** The id {@code gateway} may be one of a server, and begins addresses of mcpbus. */
  private static Optional<ServerAddress> serverAddress(String address) {
    return ServerAddress.parse(address)
        .filter(one -> !address.startsWith(GATEWAY) || Addresses.SERVED.contains(one.suffix()));
  }

  private static String absentService(String address) {
    if (!address.startsWith(Addresses.OURS)) {
      return "no program on the bus answers at " + Printable.quoted(address);
    }
    String words = words(address);
    return isWhole(address, words)
        ? "nothing answers for '" + words + "' here: that part of mcpbus does not run, or ends"
        : "the process that should answer for '"
            + words
            + "' has ended, or is starting, or has another version of mcpbus; try again, and see"
            + " which nodes GET /api/nodes lists";
  }

  /** The sentence of a receiver that has not answered in time. */
  public static String silent(String address, String millis) {
    return serverAddress(address)
            .map(one -> server(one.server()) + " has not answered" + operation(one.suffix()))
            .orElseGet(() -> silentService(address))
        + " within "
        + millis
        + " ms";
  }

  private static String silentService(String address) {
    if (!address.startsWith(Addresses.OURS)) {
      return Printable.quoted(address) + " has not answered";
    }
    String words = words(address);
    return isWhole(address, words)
        ? "mcpbus has not answered (" + words + ")"
        : "another process of the cluster has not answered (" + words + ")";
  }

  /** A server by its id; the connection of one client by the server that it leads to. */
  public static String server(ConnectionId id) {
    return ConnectionId.isPrivate(id.value())
        ? "a client's own connection to '" + id.withoutRandomPart() + "'"
        : "server '" + id + "'";
  }

  private static String operation(String suffix) {
    return Addresses.SERVED.contains(suffix) ? " (" + suffix + ")" : "";
  }

  /** The words of an address of mcpbus, without an id and what follows it. */
  private static String words(String address) {
    int end = Addresses.OURS.length();
    for (int from = end; from <= address.length(); ) {
      int dot = address.indexOf('.', from);
      int next = dot < 0 ? address.length() : dot;
      if (!isWord(address, from, next)) {
        break;
      }
      end = next;
      from = next + 1;
    }
    return address.substring(Addresses.OURS.length(), end);
  }

  private static boolean isWhole(String address, String words) {
    return address.length() == Addresses.OURS.length() + words.length();
  }

  private static boolean isWord(String address, int from, int to) {
    return from < to
        && to - from <= MAX_WORD
        && address.substring(from, to).chars().allMatch(c -> c >= 'a' && c <= 'z');
  }
}
