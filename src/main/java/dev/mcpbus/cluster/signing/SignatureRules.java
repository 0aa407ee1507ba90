package dev.mcpbus.cluster.signing;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.AggregateOperation;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.ServerOperation;
import dev.mcpbus.bus.ServerOperation.Doors;
import dev.mcpbus.bus.ServiceOperation;
import io.vertx.core.MultiMap;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Which messages between the processes of a cluster need a proof of the cluster's secret: all on
 * addresses of mcpbus except the calls and readings that are listed here. An address without an
 * entry needs one. Pure functions.
 */
final class SignatureRules {

  private static final String REPLICA = "replica.";

  /** A call id is longer than this; so an operation called "progress" of a connection is none. */
  private static final int UUID_LENGTH = 36;

  /** Calls and readings of one server. */
  private static final Set<String> OPEN_OF_SERVER =
      ServerOperation.suffixes(row -> row.doors == Doors.EVERY || row.doors == Doors.OPEN);

  /** Calls and readings of all servers. */
  private static final Set<String> OPEN =
      Stream.concat(
              Arrays.stream(AggregateOperation.values())
                  .filter(row -> row.plain)
                  .map(row -> row.address),
              Arrays.stream(ServiceOperation.values())
                  .filter(row -> row.plain)
                  .map(row -> row.address))
          .collect(Collectors.toUnmodifiableSet());

  /** Headers that name the principal of a request: only a node of the cluster may set them. */
  private static final List<String> EDGE = List.of(Headers.PRINCIPAL);

  /** Headers that name an address to which the receiver sends in its own name. */
  private static final List<String> SENT_TO =
      List.of(
          Headers.PROGRESS,
          Headers.LOG,
          Headers.NOTICES,
          Headers.INPUT,
          Headers.REACHED,
          Headers.DOOR);

  private SignatureRules() {}

  /** Whether the message needs a proof; the sender and the receiver compute the same. */
  static boolean needsProof(String address, MultiMap headers) {
    if (!isOurs(address)) {
      return false;
    }
    if (!isOpen(address, headers)) {
      return true;
    }
    // Loops: each message between nodes is looked at twice.
    for (String header : EDGE) {
      if (headers.contains(header)) {
        return true;
      }
    }
    for (String header : SENT_TO) {
      if (isOurs(headers.get(header))) {
        return true;
      }
    }
    return false;
  }

  /**
   * Whether the address belongs to mcpbus, except a progress address of one call: only its caller
   * has the id.
   */
  private static boolean isOurs(@Nullable String address) {
    return address != null
        && address.startsWith(Addresses.OURS)
        && !(address.startsWith(Addresses.PROGRESS)
            && address.length() > Addresses.PROGRESS.length() + UUID_LENGTH
            && address.indexOf('.', Addresses.PROGRESS.length()) < 0);
  }

  private static boolean isOpen(String address, MultiMap headers) {
    if (OPEN.contains(address)) {
      return true;
    }
    int dot = address.indexOf('.', Addresses.OURS.length());
    if (dot < 0) {
      return false;
    }
    String suffix = address.substring(dot + 1);
    if (suffix.startsWith(REPLICA)) {
      String to = headers.get(Headers.TO);
      return to != null && OPEN_OF_SERVER.contains(to);
    }
    return OPEN_OF_SERVER.contains(suffix);
  }
}
