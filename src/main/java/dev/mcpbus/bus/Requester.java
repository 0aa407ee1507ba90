package dev.mcpbus.bus;

import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.MultiMap;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonObject;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The principal for which a message on the bus was sent. The door that admitted the principal
 * writes it into {@link Headers#PRINCIPAL}. A message without this header comes from a program on
 * the bus, which may see everything. A thing that outlives one message, such as a task or a
 * question, belongs to the {@link #name} of its requester. Immutable.
 *
 * @param name the principal's name; a thing of one name is never shown to another
 * @param admin whether the principal also sees the things of others
 */
@PublicApi
public record Requester(String name, boolean admin) {

  private static final Pattern CALL_ID = Pattern.compile("[\\x21-\\x7E]{1,128}");
  private static final String ADMIN = "+";
  private static final String OTHER = "-";

  /** Between the encoded name and the principal's own call id; an encoded name contains none. */
  private static final char SEPARATOR = '/';

  /** The value of the header; {@link #parse} reads it. */
  public String text() {
    return (admin ? ADMIN : OTHER) + encodedName();
  }

  /** The name in characters that every header may contain. */
  private String encodedName() {
    for (int i = 0; i < name.length(); i++) {
      if (!Character.isLetterOrDigit(name.charAt(i)) || name.charAt(i) > 0x7F) {
        return URLEncoder.encode(name, StandardCharsets.UTF_8);
      }
    }
    return name; // most names, on every call: no copy
  }

  /** Reads the value of the header; null for null: a program on the bus. */
  public static @Nullable Requester parse(@Nullable String text) {
    if (text == null) {
      return null;
    }
    return new Requester(
        decodedName(text.isEmpty() ? "" : text.substring(1)), text.startsWith(ADMIN));
  }

  private static String decodedName(String encoded) {
    if (encoded.indexOf('%') < 0 && encoded.indexOf('+') < 0) {
      return encoded;
    }
    try {
      return URLDecoder.decode(encoded, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      return encoded; // not encoded by a door of mcpbus
    }
  }

  /** The requester of a message with these headers; null for a program on the bus. */
  public static @Nullable Requester of(MultiMap headers) {
    return headers.isEmpty() ? null : parse(headers.get(Headers.PRINCIPAL));
  }

  /** Adds the header to the options of a message. */
  public DeliveryOptions addTo(DeliveryOptions options) {
    return options.addHeader(Headers.PRINCIPAL, text());
  }

  /**
   * Whether a requester may see a thing: its owner, an admin and a program on the bus may.
   *
   * @param requester null for a program on the bus
   * @param owner name of the thing's owner, null if not known
   */
  public static boolean sees(@Nullable Requester requester, @Nullable String owner) {
    return requester == null || requester.admin() || requester.name().equals(owner);
  }

  /**
   * The call id on the bus for a call id that the principal has chosen. It begins with the
   * principal's name, so that no other principal can name the call.
   *
   * @throws McpFailure {@code BAD_REQUEST} if {@code own} is not 1 to 128 visible ASCII characters
   */
  public String callId(String own) {
    if (!CALL_ID.matcher(own).matches()) {
      throw McpFailure.badRequest("header Call-Id: must be 1 to 128 visible ASCII characters");
    }
    return encodedName() + SEPARATOR + own;
  }

  /**
   * The body of a {@code .cancel} on the bus, for the body that the principal sent. It names a call
   * of the same principal; an admin may name the principal of the call in the member {@code
   * principal}.
   *
   * @throws McpFailure {@code BAD_REQUEST} if the body holds no valid call id
   */
  public JsonObject cancelling(JsonObject body) {
    String own = CallCancellation.callId(body);
    Object other = admin ? body.getValue("principal") : null;
    Requester caller = other instanceof String principal ? new Requester(principal, false) : this;
    return CallCancellation.body(caller.callId(own));
  }

  /** The call id that the principal chose, from the call id on the bus. */
  public static String ownCallId(String callId) {
    return callId.substring(callId.indexOf(SEPARATOR) + 1);
  }
}
