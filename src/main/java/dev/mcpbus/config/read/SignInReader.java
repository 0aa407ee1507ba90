package dev.mcpbus.config.read;

import dev.mcpbus.config.MessageTexts;
import dev.mcpbus.config.read.Substitution.Filled;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.security.AuthOptions.Issuer;
import dev.mcpbus.security.ClaimMapping;
import dev.mcpbus.security.SignInOptions;
import dev.mcpbus.security.SignInOptions.OpenIdProvider;
import java.net.URI;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@code auth.signIn}: mcpbus as an authorization server. Problems are fatal, as in {@link
 * AuthReader}; scopes without which a claim is likely to be missing are a note.
 */
final class SignInReader {

  private static final String EMAIL = "email";

  private SignInReader() {}

  /**
   * @param issuers whose names it may not have
   */
  static SignInOptions read(ConfigEntry entry, List<Issuer> issuers) {
    String name = entry.word("name").orElse(SignInOptions.DEFAULT_NAME);
    if (!AuthReader.NAME.matcher(name).matches()
        || name.equals("local")
        || name.equals("role")
        || issuers.stream().map(Issuer::name).anyMatch(name::equals)) {
      entry.wrong(
          entry.has("name") ? entry.line("name") : entry.node().line(),
          MessageTexts.quote(entry.path() + "name") + " must be a name of its own",
          "Use 1 to 64 letters, digits and _ . @ -, other than \"local\", \"role\" and the names of"
              + " issuers");
    }
    String url = entry.word("url").orElse(null);
    OpenIdProvider provider =
        entry
            .object("provider")
            .map(SignInReader::provider)
            .orElseGet(
                () -> {
                  missing(entry, "provider", "\"provider\": {\"issuer\": \"https://...\"}");
                  return new OpenIdProvider("", "", null, List.of());
                });
    ClaimMapping claims = IssuerReader.claims(entry);
    if (claims.name().equals(EMAIL) && !provider.scopes().contains(EMAIL)) {
      entry.note(
          entry.line("claims"),
          MessageTexts.quote(entry.path() + "claims.name")
              + " is \"email\", which most providers tell for the scope \"email\" alone",
          "Add \"email\" to " + MessageTexts.quote(entry.path() + "provider.scopes"));
    }
    return new SignInOptions(
        url == null ? null : origin(entry, url),
        provider,
        name,
        claims,
        entry.duration("accessToken").orElse(SignInOptions.ACCESS_TOKEN),
        entry.duration("refreshToken").orElse(SignInOptions.REFRESH_TOKEN),
        entry.flag("registration").orElse(true),
        entry.has("clientIds") ? entry.words("clientIds") : List.of("https://*"));
  }

  private static OpenIdProvider provider(ConfigEntry entry) {
    String issuer = entry.word("issuer").orElse("");
    if (!AuthReader.isReported(entry, "issuer", issuer) && CredentialUrl.parse(issuer) == null) {
      wrongUrl(entry, "issuer");
    }
    String id = entry.word("clientId").orElse("");
    missing(entry, "clientId", "\"clientId\": \"...\", as the provider knows mcpbus");
    Sensitive secret = entry.text("clientSecret").map(Filled::value).orElse(null);
    return new OpenIdProvider(issuer, id, secret, entry.words("scopes"));
  }

  private static void missing(ConfigEntry entry, String key, String remedy) {
    if (!entry.has(key) && entry.lacks(key)) {
      entry.wrong(
          entry.node().line(),
          MessageTexts.quote(entry.path() + key) + " is missing",
          "Write " + remedy);
    }
  }

  /** An origin: our endpoints and metadata have fixed paths below it. */
  private static @Nullable URI origin(ConfigEntry entry, String text) {
    URI url = CredentialUrl.parse(text.endsWith("/") ? text.substring(0, text.length() - 1) : text);
    if (url != null && url.getRawPath().isEmpty() && url.getRawQuery() == null) {
      return url;
    }
    wrongUrl(entry, "url");
    return null;
  }

  private static void wrongUrl(ConfigEntry entry, String key) {
    entry.wrong(
        entry.has(key) ? entry.line(key) : entry.node().line(),
        MessageTexts.quote(entry.path() + key)
            + (key.equals("url")
                ? " must be an https URL without a path"
                : " must be an https URL"),
        "Write \"" + key + "\": \"https://...\"; http is allowed on this machine only");
  }
}
