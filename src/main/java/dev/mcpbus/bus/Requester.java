package dev.mcpbus.bus;

import io.vertx.core.MultiMap;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonObject;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Who is behind a message on the bus, as the edge that let him in says in {@link
 * Headers#PRINCIPAL}. A message without one is the embedding program's, which sees all. What is
 * kept between two messages is kept for the requester's {@link #name}.
 *
 * @param name the principal's; what is kept for one name is never shown to another
 * @param admin whether he sees what is kept for others, too
 */
public record Requester(String name, boolean admin) {

  private static final Pattern CALL_ID = Pattern.compile("[\\x21-\\x7E]{1,128}");
  private static final String ADMIN = "+";
  private static final String OTHER = "-";

  /** Between a name as it is written and what he calls his call; the first has none. */
  private static final char SEPARATOR = '/';

  /** The value of the header, which {@link #parse} reads back. */
  public String text() {
    return (admin ? ADMIN : OTHER) + written();
  }

  /** In characters that every header may hold. */
  private String written() {
    for (int i = 0; i < name.length(); i++) {
      if (!Character.isLetterOrDigit(name.charAt(i)) || name.charAt(i) > 0x7F) {
        return URLEncoder.encode(name, StandardCharsets.UTF_8);
      }
    }
    return name; // the most, on every call
  }

  /** Null for the embedding program. */
  public static @Nullable Requester parse(@Nullable String text) {
    if (text == null) {
      return null;
    }
    return new Requester(read(text.isEmpty() ? "" : text.substring(1)), text.startsWith(ADMIN));
  }

  private static String read(String written) {
    if (written.indexOf('%') < 0 && written.indexOf('+') < 0) {
      return written;
    }
    try {
      return URLDecoder.decode(written, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      return written; // no edge of ours wrote this
    }
  }

  /** Null for the embedding program. */
  public static @Nullable Requester of(MultiMap headers) {
    return headers.isEmpty() ? null : parse(headers.get(Headers.PRINCIPAL));
  }

  /** Says on a message who is behind it. */
  public DeliveryOptions sign(DeliveryOptions options) {
    return options.addHeader(Headers.PRINCIPAL, text());
  }

  /**
   * Whether somebody may know of what is kept.
   *
   * @param who null for the embedding program
   * @param owner whose it is, null where that is not known
   */
  public static boolean sees(@Nullable Requester who, @Nullable String owner) {
    return who == null || who.admin() || who.name().equals(owner);
  }

  /**
   * The name on the bus of a call that he names himself. It holds his own name, so that nobody else
   * can say it.
   *
   * @throws McpFailure {@code BAD_REQUEST} where it is not 1 to 128 visible ASCII characters
   */
  public String callId(String own) {
    if (!CALL_ID.matcher(own).matches()) {
      throw McpFailure.notSent(
          FailureCode.BAD_REQUEST, "header Call-Id: must be 1 to 128 visible ASCII characters");
    }
    return written() + SEPARATOR + own;
  }

  /**
   * The body of a {@code .cancel} in his name: what it names is a call of his own. An admin may say
   * besides whose call it is, {@code principal}.
   *
   * @throws McpFailure {@code BAD_REQUEST} where the call's name is none
   */
  public JsonObject cancelling(JsonObject body) {
    String own = CallCancellation.callId(body);
    Object other = admin ? body.getValue("principal") : null;
    Requester whose = other instanceof String whom ? new Requester(whom, false) : this;
    return CallCancellation.body(whose.callId(own));
  }

  /** What the caller called his call whose name on the bus this is. */
  public static String ownCallId(String callId) {
    return callId.substring(callId.indexOf(SEPARATOR) + 1);
  }
}
