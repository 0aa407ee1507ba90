package dev.mcpbus.gateway.http;

import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.gateway.request.McpErrors;
import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.HeaderValue;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.McpHeaders;
import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.protocol.ParamHeaders;
import dev.mcpbus.protocol.ProtocolVersion;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.MultiMap;
import java.math.BigDecimal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Checks what a request of the {@code discover} era states twice, in its headers and in its body
 * (MCP 2026-07-28, Streamable HTTP): both must be equal. Stateless.
 */
final class RequestHeaders {

  private RequestHeaders() {}

  /** Whether a request is of the {@code discover} era, by its body or by its header. */
  static boolean describes(MultiMap headers, @Nullable RawJson meta) {
    if (meta != null && meta.member(MetaKeys.PROTOCOL_VERSION) != null) {
      return true;
    }
    String version = headers.get(McpHeaders.PROTOCOL_VERSION);
    return version != null
        && ProtocolVersion.ofWire(version).map(v -> v.era() == Era.DISCOVER).orElse(false);
  }

  /**
   * Checks a request.
   *
   * @throws McpFailure with the error object that the client gets, always with status 400
   */
  static void check(MultiMap headers, String method, RawJson params, @Nullable RawJson meta) {
    RawJson stated = meta == null ? null : meta.member(MetaKeys.PROTOCOL_VERSION);
    if (stated == null || !stated.isString()) {
      throw McpErrors.invalidParams(
          "Invalid _meta: \"" + MetaKeys.PROTOCOL_VERSION + "\" must be a string");
    }
    same(McpHeaders.PROTOCOL_VERSION, one(headers, McpHeaders.PROTOCOL_VERSION), stated.asString());
    boolean known =
        ProtocolVersion.ofWire(stated.asString()).map(v -> v.era() == Era.DISCOVER).orElse(false);
    if (!known) {
      throw McpErrors.unsupportedVersion(stated.asString());
    }
    RawJson capabilities = meta == null ? null : meta.member(MetaKeys.CLIENT_CAPABILITIES);
    if (capabilities == null || !capabilities.isObject()) {
      throw McpErrors.invalidParams(
          "Invalid _meta: \"" + MetaKeys.CLIENT_CAPABILITIES + "\" must be an object");
    }
    same(McpHeaders.METHOD, one(headers, McpHeaders.METHOD), method);
    String member = McpHeaders.NAMED_BY.get(method);
    RawJson name = member == null ? null : params.member(member);
    if (name != null && name.isString()) {
      same(
          McpHeaders.NAME,
          decoded(McpHeaders.NAME, one(headers, McpHeaders.NAME)),
          name.asString());
    }
  }

  /**
   * Checks a notification, for which the revision requires no header: one that stands there must
   * not say something else than the body.
   *
   * @throws McpFailure as above
   */
  static void checkNotification(MultiMap headers, String method) {
    String sent = one(headers, McpHeaders.METHOD);
    if (sent != null) {
      same(McpHeaders.METHOD, sent, method);
    }
  }

  /** Checks the headers that repeat arguments of a tool. */
  static void check(MultiMap headers, ParamHeaders wanted, RawJson params) {
    if (wanted.isEmpty()) {
      return;
    }
    for (ParamHeaders.ParamHeader header : wanted.values(params.member("arguments"))) {
      String sent = decoded(header.name(), one(headers, header.name()));
      String stated = decoded(header.name(), header.value());
      if (sent == null || !(sent.equals(stated) || isSameNumber(sent, stated))) {
        throw mismatch(header.name(), sent, String.valueOf(stated));
      }
    }
    // A header whose argument is missing contradicts the body as well.
    for (String name : wanted.names()) {
      if (headers.contains(name)
          && wanted.values(params.member("arguments")).stream()
              .noneMatch(header -> header.name().equals(name))) {
        throw mismatch(name, headers.get(name), "nothing");
      }
    }
  }

  /** The only value of a header; a proxy might read another one of two values. */
  private static @Nullable String one(MultiMap headers, CharSequence name) {
    List<String> values = headers.getAll(name);
    if (values.size() > 1) {
      throw McpErrors.rpc(
          JsonRpcError.HEADER_MISMATCH, "Header mismatch: " + name + " stands more than once");
    }
    return values.isEmpty() ? null : values.get(0);
  }

  private static boolean isSameNumber(String a, @Nullable String b) {
    try {
      return b != null
          && a.length() < 40
          && b.length() < 40
          && new BigDecimal(a).compareTo(new BigDecimal(b)) == 0;
    } catch (NumberFormatException e) {
      return false;
    }
  }

  private static @Nullable String decoded(CharSequence header, @Nullable String value) {
    if (value == null) {
      return null;
    }
    String text = HeaderValue.decode(value);
    if (text == null) {
      throw McpErrors.rpc(
          JsonRpcError.HEADER_MISMATCH, "Header mismatch: " + header + " cannot be decoded");
    }
    return text;
  }

  private static void same(CharSequence header, @Nullable String sent, String stated) {
    if (!stated.equals(sent)) {
      throw mismatch(header, sent, stated);
    }
  }

  private static McpFailure mismatch(CharSequence header, @Nullable String sent, String stated) {
    return McpErrors.rpc(
        JsonRpcError.HEADER_MISMATCH,
        sent == null
            ? "Header mismatch: " + header + " is missing"
            : "Header mismatch: "
                + header
                + " header value '"
                + McpErrors.shown(sent)
                + "' does not match body value '"
                + McpErrors.shown(stated)
                + "'");
  }
}
