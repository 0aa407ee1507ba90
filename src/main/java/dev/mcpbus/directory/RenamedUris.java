package dev.mcpbus.directory;

import dev.mcpbus.protocol.RawJson;
import java.util.function.UnaryOperator;

/** URIs in what servers say, in the form that the clients of a view use. Pure functions. */
public final class RenamedUris {

  private RenamedUris() {}

  /**
   * The object with another URI in a member; the same bytes if it has no text there, or if the URI
   * stays as it is.
   *
   * @param name from the server's own URI to that of the clients
   */
  public static RawJson in(RawJson object, String member, UnaryOperator<String> name) {
    RawJson uri = object.member(member);
    if (uri == null || !uri.isString()) {
      return object;
    }
    String own = uri.asString();
    String shown = name.apply(own);
    return shown.equals(own) ? object : object.with(member, RawJson.string(shown));
  }
}
