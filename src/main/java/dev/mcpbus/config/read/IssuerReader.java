package dev.mcpbus.config.read;

import dev.mcpbus.config.MessageTexts;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.security.AuthOptions.Dpop;
import dev.mcpbus.security.AuthOptions.Introspection;
import dev.mcpbus.security.AuthOptions.Issuer;
import dev.mcpbus.security.ClaimMapping;
import dev.mcpbus.security.ClaimMapping.ClaimRule;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@code auth.jwt} and {@code auth.issuers}: whose access tokens are accepted. Every problem
 * is fatal, as in {@link AuthReader}.
 */
final class IssuerReader {

  /** Words that begin other names in policies, or are names of their own. */
  private static final Set<String> TAKEN = Set.of("local", "role");

  private IssuerReader() {}

  /** All issuers; that of {@code jwt} first. */
  static List<Issuer> read(ConfigEntry auth) {
    List<Issuer> issuers = new ArrayList<>();
    auth.object("jwt").ifPresent(entry -> add(entry, Issuer.DEFAULT_NAME, issuers));
    auth.objects("issuers").forEach(entry -> add(entry, "", issuers));
    return issuers;
  }

  /** Our URL as clients know it, also where {@code jwt} says it. */
  static @Nullable String resource(ConfigEntry auth) {
    ConfigNode written = auth.node().get("jwt");
    boolean older = written != null && written.get("resource") != null;
    Optional<ConfigEntry> jwt = older ? auth.object("jwt") : Optional.empty(); // reports its keys
    if (jwt.isPresent() && auth.has("resource")) {
      jwt.get()
          .wrong(
              jwt.get().line("resource"),
              "\"auth.jwt.resource\" and \"auth.resource\" say the same",
              "Keep \"auth.resource\"");
    }
    ConfigEntry from = auth.has("resource") ? auth : jwt.orElse(auth);
    String text = from.word("resource").orElse(null);
    return text == null || url(from, "resource", text) == null ? null : text;
  }

  private static void add(ConfigEntry entry, String standard, List<Issuer> before) {
    String name = entry.word("name").orElse(standard);
    String issuer = entry.word("issuer").orElse("");
    if (!AuthReader.isReported(entry, "issuer", issuer)) {
      url(entry, "issuer", issuer);
    }
    if (!(standard.isEmpty() && AuthReader.isReported(entry, "name", name))) {
      checkName(entry, name, before);
    }
    if (standard.isEmpty() && entry.has("resource")) {
      entry.wrong(
          entry.line("resource"),
          MessageTexts.quote(entry.path() + "resource") + " is not of one issuer",
          "Write \"auth.resource\"; it holds for all issuers");
    }
    before.stream()
        .filter(other -> !issuer.isEmpty() && other.isCalled(issuer))
        .findFirst()
        .ifPresent(
            other ->
                entry.wrong(
                    entry.line("issuer"),
                    MessageTexts.quote(entry.path() + "issuer")
                        + " is also that of "
                        + MessageTexts.quote(other.name()),
                    "Keep one entry for each issuer: \"iss\" alone says whose a token is. Several"
                        + " audiences go into one list"));
    String jwks = entry.word("jwksUri").orElse(null);
    Set<String> audience = AuthReader.words(entry, "audience");
    if (audience.isEmpty()
        && entry.isListOrAbsent("audience")
        && (entry.has("audience") || entry.lacks("audience"))) {
      entry.wrong(
          entry.node().line(),
          MessageTexts.quote(entry.path() + "audience") + " is missing",
          "List the values of \"aud\" that tokens for this service have; other tokens are refused");
    }
    before.add(
        new Issuer(
            name,
            issuer,
            audience,
            jwks == null ? null : url(entry, "jwksUri", jwks),
            AuthReader.words(entry, "scopes"),
            AuthReader.words(entry, "adminScopes"),
            entry.duration("leeway").orElse(Issuer.DEFAULT_LEEWAY),
            algorithms(entry),
            claims(entry),
            entry.object("introspection").flatMap(one -> introspection(one, before)).orElse(null)));
  }

  private static Set<String> algorithms(ConfigEntry entry) {
    Set<String> algorithms = AuthReader.words(entry, "algorithms");
    List<String> known = entry.schema().key("algorithms").words();
    for (String one : algorithms) {
      if (!known.contains(one)) {
        boolean shared = one.startsWith("HS") || one.equals("none");
        entry.wrong(
            entry.line("algorithms"),
            MessageTexts.quote(entry.path() + "algorithms")
                + (shared
                    ? ": a token of HS256 and the like, or of none, can be made by others than the"
                        + " issuer"
                    : ": unknown algorithm"),
            "Use " + String.join(", ", known));
      }
    }
    return algorithms;
  }

  /** {@code claims} and {@code roles}: what makes a principal of a token. */
  static ClaimMapping claims(ConfigEntry entry) {
    Optional<ConfigEntry> paths = entry.object("claims");
    return new ClaimMapping(
        paths.flatMap(one -> path(one, "name")).orElse(ClaimMapping.DEFAULT.name()),
        paths.map(one -> paths(one, "roles")).orElse(List.of()),
        entry.objects("roles").stream().map(IssuerReader::rule).toList());
  }

  private static List<String> paths(ConfigEntry entry, String key) {
    List<String> paths = entry.words(key);
    if (paths.stream().anyMatch(String::isBlank)) {
      blank(entry, key);
    }
    return paths;
  }

  private static Optional<String> path(ConfigEntry entry, String key) {
    Optional<String> path = entry.word(key);
    if (path.isPresent() && path.get().isBlank()) {
      blank(entry, key);
    }
    return path;
  }

  private static void blank(ConfigEntry entry, String key) {
    entry.wrong(
        entry.line(key),
        MessageTexts.quote(entry.path() + key) + " names no claim",
        "Write a claim such as \"groups\", or \"realm_access.roles\" for one within another");
  }

  private static ClaimRule rule(ConfigEntry entry) {
    String claim = path(entry, "claim").orElse("");
    String value = entry.word("value").orElse("");
    String role = entry.word("role").orElse(null);
    boolean admin = entry.flag("admin").orElse(false);
    for (String key : List.of("claim", "value")) {
      if (entry.lacks(key)) {
        entry.wrong(
            entry.node().line(),
            MessageTexts.quote(entry.path() + key) + " is missing",
            "Write {\"claim\": \"groups\", \"value\": \"mcp-admins\", \"role\": \"ops\"}");
      }
    }
    if (role == null && !admin && !entry.hasMisspelt(entry.schema().names(), "role", "admin")) {
      entry.wrong(
          entry.node().line(),
          MessageTexts.quote(entry.path() + "role")
              + " and \"admin\" are missing: it gives nothing",
          "Write \"role\": \"ops\", or \"admin\": true");
    }
    return new ClaimRule(claim, value, role, admin);
  }

  private static Optional<Introspection> introspection(ConfigEntry entry, List<Issuer> before) {
    for (String key : List.of("url", "clientId", "clientSecret")) {
      if (entry.lacks(key)) {
        entry.wrong(
            entry.node().line(),
            MessageTexts.quote(entry.path() + key) + " is missing",
            "Write \"url\", \"clientId\" and \"clientSecret\", with which mcpbus asks the issuer");
      }
    }
    String url = entry.word("url").orElse("");
    URI place = AuthReader.isReported(entry, "url", url) ? null : url(entry, "url", url);
    String prefix = entry.word("prefix").orElse("");
    for (Issuer other : before) {
      Introspection same = other.introspection();
      if (same != null && (same.prefix().startsWith(prefix) || prefix.startsWith(same.prefix()))) {
        entry.wrong(
            entry.has("prefix") ? entry.line("prefix") : entry.node().line(),
            MessageTexts.quote(entry.path() + "prefix")
                + ": a token could go to "
                + MessageTexts.quote(other.name())
                + " as well, and must be shown to its own issuer alone",
            "Give each of them the \"prefix\" with which its tokens begin");
      }
    }
    Optional<Sensitive> secret = entry.withOwn().text("clientSecret").map(text -> text.value());
    String client = entry.word("clientId").orElse("");
    Duration cache = entry.duration("cache").orElse(Introspection.DEFAULT_CACHE);
    return place == null || secret.isEmpty()
        ? Optional.empty()
        : Optional.of(new Introspection(place, prefix, client, secret.get(), cache));
  }

  /** What clients are told of tokens that are bound to a key. */
  static Dpop dpop(ConfigEntry auth) {
    Dpop dpop =
        auth.object("dpop")
            .map(
                one ->
                    new Dpop(
                        one.flag("offer").orElse(false),
                        one.flag("required").orElse(false),
                        one.flag("nonce").orElse(false)))
            .orElse(Dpop.DEFAULT);
    if (dpop.required() && auth.has("signIn")) {
      auth.wrong(
          auth.line("dpop"),
          "\"auth.dpop.required\" and \"auth.signIn\" exclude each other: tokens of the sign-in are"
              + " not bound to a key",
          "Leave one of them out, or write \"offer\": true in place of \"required\"");
    }
    return dpop;
  }

  private static void checkName(ConfigEntry entry, String name, List<Issuer> before) {
    int line = entry.has("name") ? entry.line("name") : entry.node().line();
    if (!AuthReader.NAME.matcher(name).matches() || TAKEN.contains(name)) {
      entry.wrong(
          line,
          MessageTexts.quote(entry.path() + "name") + " must be the name of an issuer",
          "Use 1 to 64 letters, digits and _ . @ -, other than \"local\" and \"role\"");
    } else if (before.stream().anyMatch(other -> other.name().equals(name))) {
      entry.wrong(
          line,
          MessageTexts.quote(entry.path() + "name")
              + " is also the name of another issuer: their principals could not be told apart",
          name.equals(Issuer.DEFAULT_NAME)
              ? "Give it another name; \"jwt\" is that of \"auth.jwt\""
              : "Give each issuer a name of its own");
    }
  }

  private static @Nullable URI url(ConfigEntry entry, String key, String text) {
    URI url = CredentialUrl.parse(text);
    if (url != null) {
      return url;
    }
    entry.wrong(
        entry.has(key) ? entry.line(key) : entry.node().line(),
        MessageTexts.quote(entry.path() + key) + " must be an https URL",
        "Write \"" + key + "\": \"https://...\"; http is allowed on this machine only");
    return null;
  }
}
