package dev.mcpbus.config.read;

import dev.mcpbus.config.MessageTexts;
import dev.mcpbus.security.AuthOptions.Issuer;
import java.net.URI;
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
            entry.duration("leeway").orElse(Issuer.DEFAULT_LEEWAY)));
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
