package dev.mcpbus.config.read;

import dev.mcpbus.config.MessageTexts;
import dev.mcpbus.config.ServerSettings;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.connection.options.ConnectionOptions.Credential;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.transport.HttpOptions;
import dev.mcpbus.transport.OAuthOptions;
import dev.mcpbus.transport.SseOptions;
import dev.mcpbus.transport.TransportOptions;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What a server of callers may say, and what it has to. */
final class IdentityRules {

  private static final String IDENTITY = "\"identity\": \"caller\"";

  /** Headers of a request that carry a credential, or say where it came from. */
  private static final Set<String> NEVER =
      Set.of(
          "authorization",
          "cookie",
          "proxy-authorization",
          "x-api-key",
          "dpop",
          "host",
          "mcp-session-id");

  private IdentityRules() {}

  /**
   * The settings with the credential that the entry uses.
   *
   * @param transport null after a mistake elsewhere
   */
  static ServerSettings checked(
      ConfigEntry entry,
      String server,
      ServerSettings settings,
      @Nullable TransportOptions transport,
      int replicas) {
    ConnectionOptions connection = settings.connection();
    Set<String> used = entry.substitution().ofCallers(server);
    if (!connection.isOfCallers()) {
      for (String key : List.of("credential", "callerHeaders", "beforeLogin")) {
        if (entry.has(key)) {
          entry.wrong(
              entry.line(key),
              "\"" + key + "\" has a meaning for a server of callers alone",
              "Add " + IDENTITY + ", or remove it");
        }
      }
      if (!used.isEmpty()) {
        entry.wrong(
            entry.node().line(),
            "${caller." + used.iterator().next() + "} has no value for a server that all share",
            "Add " + IDENTITY + ", or write the value itself");
      }
      return settings;
    }
    Set<String> headers = new TreeSet<>(connection.callerHeaders());
    for (String name : headers) {
      if (NEVER.contains(name)) {
        entry.wrong(
            entry.line("callerHeaders"),
            "\"callerHeaders\" names "
                + MessageTexts.quote(name)
                + ", which never goes to a server",
            "Remove it; \"credential\" says with which credential of the caller a server is called");
      }
    }
    for (String name : used) {
      if (name.startsWith("header.") && !headers.contains(name.substring("header.".length()))) {
        entry.wrong(
            entry.node().line(),
            "${caller." + name + "} is not among \"callerHeaders\"",
            "Add the name of the header there");
      }
    }
    if (replicas > 1 || entry.has("urls")) {
      entry.wrong(
          entry.line(replicas > 1 ? "replicas" : "urls"),
          "a server of callers has one connection for each of them, and no replicas",
          "Keep one of " + IDENTITY + " and " + (replicas > 1 ? "\"replicas\"" : "\"urls\""));
    }
    Credential uses = used(transport, used);
    if (entry.has("credential") && connection.credential() != uses) {
      entry.wrong(
          entry.line("credential"),
          "\"credential\" is "
              + ConfigEntry.word(connection.credential())
              + ", but the entry uses "
              + ConfigEntry.word(uses),
          remedy(connection.credential()));
    }
    return RecordCopy.with(
        settings,
        "connection",
        RecordCopy.with(connection, Map.of("credential", uses, "lazy", true)));
  }

  private static Credential used(@Nullable TransportOptions transport, Set<String> used) {
    HttpOptions http =
        transport instanceof HttpOptions plain
            ? plain
            : transport instanceof SseOptions sse ? sse.http() : null;
    OAuthOptions oauth = http == null ? null : http.oauth();
    if (oauth != null) {
      return oauth.isOfCaller() ? Credential.TOKEN_EXCHANGE : Credential.LOGIN;
    }
    return used.contains("secret") ? Credential.SECRET : Credential.NONE;
  }

  private static String remedy(Credential wanted) {
    return switch (wanted) {
      case SECRET -> "Write ${caller.secret} where it belongs: in \"headers\", \"env\" or \"url\"";
      case LOGIN -> "Add \"oauth\", of a server over HTTP";
      case TOKEN_EXCHANGE -> "Add \"oauth\" with the grant token_exchange or on_behalf_of";
      case NONE -> "Leave \"credential\" out";
    };
  }
}
