package dev.mcpbus.cli;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The tokens of a sign-in, as they stand in a file. Immutable.
 *
 * @param client the {@code client_id} that they are bound to
 * @param tokenPath where they are renewed, a path at the origin that gave them
 * @param revokePath where they are revoked, likewise
 * @param access for {@code Authorization: Bearer}
 * @param refresh good once
 * @param renewAt when {@code access} is nearly over
 */
record KeptTokens(
    String client,
    String tokenPath,
    String revokePath,
    String access,
    String refresh,
    Instant renewAt) {

  private static final Pattern TOKEN = Pattern.compile("[\\x21-\\x7E]+");
  private static final Pattern PATH = Pattern.compile("/[A-Za-z0-9._~/-]*");

  /** Where the answer names no time, and the longest for which it is believed. */
  private static final long SECONDS = 60;

  private static final long MOST_SECONDS = Duration.ofDays(1).toSeconds();

  /**
   * What the token endpoint has answered (RFC 6749, section 5.1), from now on; null if there is no
   * token in it.
   *
   * @param refresh that stays where the answer has no other
   */
  static @Nullable KeptTokens of(
      String client,
      String tokenPath,
      String revokePath,
      String refresh,
      JsonObject answer,
      Instant now) {
    long seconds = answer.getValue("expires_in") instanceof Number in ? in.longValue() : SECONDS;
    long good = Math.max(0, Math.min(seconds, MOST_SECONDS));
    String next = ContentText.text(answer, "refresh_token");
    return checked(
        new KeptTokens(
            client,
            tokenPath,
            revokePath,
            ContentText.text(answer, "access_token"),
            next.isEmpty() ? refresh : next,
            now.plusMillis(good * 800))); // the last fifth is for the request that begins now
  }

  /** What {@link #bytes} wrote for this origin; null if it is torn, or for another one. */
  static @Nullable KeptTokens read(byte[] bytes, String origin) {
    try {
      JsonObject json = new JsonObject(Buffer.buffer(bytes));
      Instant renewAt = TimeText.instant(json.getValue("renewAt"));
      return renewAt == null || !origin.equals(json.getValue("origin"))
          ? null
          : checked(
              new KeptTokens(
                  ContentText.text(json, "clientId"),
                  ContentText.text(json, "tokenPath"),
                  ContentText.text(json, "revokePath"),
                  ContentText.text(json, "accessToken"),
                  ContentText.text(json, "refreshToken"),
                  renewAt));
    } catch (DecodeException | ClassCastException torn) {
      return null;
    }
  }

  private static @Nullable KeptTokens checked(KeptTokens tokens) {
    return !tokens.client.isEmpty()
            && PATH.matcher(tokens.tokenPath).matches()
            && PATH.matcher(tokens.revokePath).matches()
            && TOKEN.matcher(tokens.access).matches()
            && TOKEN.matcher(tokens.refresh).matches()
        ? tokens
        : null;
  }

  byte[] bytes(String origin) {
    return new JsonObject()
        .put("origin", origin)
        .put("clientId", client)
        .put("tokenPath", tokenPath)
        .put("revokePath", revokePath)
        .put("accessToken", access)
        .put("refreshToken", refresh)
        .put("renewAt", renewAt.toString())
        .toBuffer()
        .getBytes();
  }

  /** The tokens that follow; fails as the token endpoint refuses. */
  KeptTokens renewed(ServiceClient client, Instant now) {
    JsonObject answer =
        client.form(
            tokenPath,
            Map.of(
                "grant_type", "refresh_token", "client_id", this.client, "refresh_token", refresh));
    KeptTokens next = of(this.client, tokenPath, revokePath, refresh, answer, now);
    if (next == null) {
      throw new CommandFailure(
          ExitCode.UNREACHABLE,
          "NOT_MCPBUS",
          client.url() + " renews the sign-in, but not as mcpbus does; check the URL");
    }
    return next;
  }

  /** Ends the login at mcpbus (RFC 7009). */
  void revoke(ServiceClient client) {
    client.form(revokePath, Map.of("client_id", this.client, "token", refresh));
  }

  /** Shows no token. */
  @Override
  public String toString() {
    return "KeptTokens[***]";
  }
}
