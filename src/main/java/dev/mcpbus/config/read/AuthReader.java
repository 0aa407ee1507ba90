package dev.mcpbus.config.read;

import dev.mcpbus.config.MessageTexts;
import dev.mcpbus.config.read.Substitution.Filled;
import dev.mcpbus.protocol.ServerId;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.security.AuthOptions.ApiKey;
import dev.mcpbus.security.AuthOptions.AuditFile;
import dev.mcpbus.security.AuthOptions.Effect;
import dev.mcpbus.security.AuthOptions.Issuer;
import dev.mcpbus.security.AuthOptions.Limits;
import dev.mcpbus.security.AuthOptions.OnAuditFailure;
import dev.mcpbus.security.AuthOptions.Policy;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@code auth}: who may call over HTTP, and what they may do. Every problem here is fatal: a
 * rule that is left out could give access.
 */
final class AuthReader {

  static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.@-]{1,64}");
  private static final Pattern HASH = Pattern.compile("sha256:[0-9a-f]{64}");

  private AuthReader() {}

  static AuthOptions read(ConfigEntry entry) {
    List<ApiKey> keys = keys(entry);
    List<Issuer> issuers = IssuerReader.read(entry);
    List<Policy> policies = new ArrayList<>();
    entry.objects("policies").forEach(one -> policies.add(policy(one)));
    Limits limits = entry.object("limits").map(AuthReader::limits).orElse(Limits.UNBOUNDED);
    Optional<ConfigEntry> audit = entry.object("audit");
    boolean on = audit.flatMap(one -> one.flag("on")).orElse(true);
    return new AuthOptions(
        keys,
        issuers,
        IssuerReader.resource(entry),
        policies,
        limits,
        on,
        audit.map(one -> file(one, on)).orElse(null),
        entry.object("signIn").map(one -> SignInReader.read(one, issuers)).orElse(null));
  }

  private static List<ApiKey> keys(ConfigEntry entry) {
    List<ApiKey> keys = new ArrayList<>();
    Set<String> names = new HashSet<>();
    Set<String> hashes = new HashSet<>();
    for (ConfigEntry item : entry.objects("apiKeys")) {
      String name = item.word("name").orElse("");
      String hash = item.withOwn().word("hash").orElse("");
      if (isReported(item, "name", name) || isReported(item, "hash", hash)) {
        continue;
      }
      if (!NAME.matcher(name).matches() || name.equals("local") || !names.add(name)) {
        item.wrong(
            item.node().line(),
            MessageTexts.quote(item.path() + "name") + " must be a name of its own",
            "Use 1 to 64 letters, digits and _ . @ -, other than \"local\" and other keys' names");
      } else if (!HASH.matcher(hash).matches()) {
        // The value is never shown: it may be the key itself.
        item.wrong(
            item.node().line(),
            MessageTexts.quote(item.path() + "hash") + " is not the hash of a key",
            "Run java -jar mcpbus.jar --new-key " + name + " and take the hash that it prints");
      } else if (!hashes.add(hash)) {
        item.wrong(
            item.line("hash"),
            MessageTexts.quote(item.path() + "hash") + " is also the hash of another key",
            "Give each name a key of its own: java -jar mcpbus.jar --new-key " + name);
      } else {
        keys.add(
            new ApiKey(
                name,
                hash,
                words(item, "roles"),
                item.flag("admin").orElse(false),
                expires(item),
                item.object("limits").map(AuthReader::limits).orElse(null)));
      }
    }
    return keys;
  }

  /** Whether the text stands there, also misspelt, and it is said already why it is none. */
  static boolean isReported(ConfigEntry entry, String key, String text) {
    return text.isEmpty() && (entry.has(key) ? !entry.isText(key) : !entry.lacks(key));
  }

  private static @Nullable Instant expires(ConfigEntry item) {
    String text = item.word("expires").orElse(null);
    if (text == null) {
      return null;
    }
    try {
      return Instant.parse(text);
    } catch (DateTimeParseException e) {
      item.wrong(
          item.line("expires"),
          MessageTexts.quote(item.path() + "expires") + " is not a time",
          "Write it as 2027-01-31T00:00:00Z");
      return Instant.EPOCH;
    }
  }

  private static Policy policy(ConfigEntry entry) {
    Effect effect =
        entry
            .choice("effect", Effect.class)
            .orElseGet(
                () -> {
                  if (entry.lacks("effect")) {
                    entry.wrong(
                        entry.node().line(),
                        MessageTexts.quote(entry.path() + "effect") + " is missing",
                        "Write \"effect\": \"allow\" or \"deny\"");
                  }
                  return Effect.DENY;
                });
    List<String> servers = entry.words("servers");
    servers.stream()
        .filter(one -> !ServerId.isOverIds(one))
        .forEach(
            one ->
                entry.wrong(
                    entry.line("servers"),
                    MessageTexts.quote(entry.path() + "servers")
                        + ": a pattern with * or ? is compared with ids, which have letters a-z,"
                        + " digits and hyphens alone",
                    "Write each name in full, or a pattern of ids; \"mcpbus check\" lists them"));
    List<Filled> actions = entry.texts("actions").orElse(List.of());
    return new Policy(
        entry.words("principals"),
        servers.stream().filter(ServerId::isOverIds).toList(),
        entry.words("tools"),
        AuthOptions.actions(
            ConfigEntry.words(actions), word -> unknownAction(entry, Filled.shown(actions, word))),
        effect);
  }

  private static void unknownAction(ConfigEntry entry, String shown) {
    entry.wrong(
        entry.line("actions"),
        MessageTexts.quote(entry.path() + "actions")
            + ": unknown action "
            + MessageTexts.quote(shown),
        "Use " + String.join(", ", entry.schema().key("actions").words()));
  }

  private static Limits limits(ConfigEntry entry) {
    double rate = entry.number("rate").orElse(0.0);
    int burst = entry.whole("burst").orElse((int) Math.max(1, Math.ceil(rate)));
    return new Limits(rate, burst, entry.whole("concurrency").orElse(0));
  }

  private static @Nullable AuditFile file(ConfigEntry entry, boolean on) {
    OnAuditFailure onFailure =
        entry.choice("onFailure", OnAuditFailure.class).orElse(OnAuditFailure.CONTINUE);
    if (onFailure == OnAuditFailure.REFUSE && !(on && entry.has("file"))) {
      entry.wrong(
          entry.line("onFailure"),
          MessageTexts.quote(entry.path() + "onFailure") + " \"refuse\" needs an audit file",
          "Write \"file\": \"audit.log\" beside it, and leave \"on\" out");
    }
    return entry
        .path("file")
        .map(
            path ->
                new AuditFile(
                    path.toString(),
                    entry.whole("maxMegabytes").orElse(10) * 1024L * 1024L,
                    entry.whole("keep").orElse(10),
                    onFailure))
        .orElse(null);
  }

  static Set<String> words(ConfigEntry entry, String key) {
    return new LinkedHashSet<>(entry.words(key));
  }
}
