package dev.mcpbus.config.read;

import dev.mcpbus.bus.ClusterSecret;
import dev.mcpbus.config.ClusterOptions;
import dev.mcpbus.config.MessageTexts;
import dev.mcpbus.config.read.Substitution.Filled;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.LoopbackHosts;
import dev.mcpbus.protocol.Sensitive;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@code cluster}: how a node started with {@code --cluster} joins. The secret appears
 * neither in a problem nor in a view.
 */
final class ClusterReader {

  private static final String QUORUM = "quorum";
  private static final String MAJORITY = "majority";
  private static final String MAJORITY_OF = "majority of ";
  private static final int MAX_QUORUM = 1_000;
  private static final String SECRET = "secret";
  private static final String SECRET_FILE = "secretFile";
  private static final String VARIABLE = "MCPBUS_CLUSTER_SECRET";
  private static final int MAX_BYTES = 16_384;

  private static final String GIVE_SECRET =
      "Give all nodes the same \"secretFile\", or \"secret\": \"${" + VARIABLE + "}\"";

  private ClusterReader() {}

  /**
   * @param top the whole file, with or without {@code cluster}
   */
  static ClusterOptions read(ConfigEntry top) {
    ClusterOptions base = ClusterOptions.DEFAULT;
    Optional<ConfigEntry> found = top.object("cluster");
    if (found.isEmpty()) {
      ClusterSecret common = ofVariable(top);
      return common == null ? base : RecordCopy.with(base, "secret", common);
    }
    ConfigEntry entry = found.get();
    List<String> members = entry.words("members");
    for (String member : members) {
      if (member.isBlank()) {
        entry.wrong(entry.line("members"), "a member is empty", "Write \"host:port\"");
      }
    }
    if (!members.isEmpty() && entry.has("kubernetes")) {
      entry.wrong(
          entry.line("kubernetes"),
          "\"cluster.members\" and \"cluster.kubernetes\" are two ways to find the others",
          "Keep one of them");
    }
    ClusterSecret secret = secret(entry);
    int majorityOf = majorityOf(entry, members.size());
    if (majorityOf > 0 && !top.has("state")) {
      entry.wrong(
          entry.line(QUORUM),
          "a quorum that follows the cluster has to be remembered, and there is no \"state\"",
          "Give this node a folder of its own, \"state\": {\"dir\": ...}, or a number as"
              + " \"quorum\"");
    }
    ClusterOptions options =
        Filling.of(entry, base)
            .set("members", Optional.of(members))
            .set("majorityOf", Optional.of(majorityOf))
            .hand(
                QUORUM,
                cluster -> majorityOf > 0 ? Optional.of(majorityOf / 2 + 1) : fixedQuorum(cluster))
            .set("secret", Optional.ofNullable(secret))
            .hand("tls", cluster -> cluster.object("tls").flatMap(ClusterReader::tls))
            .done();
    exposed(entry, options);
    return options;
  }

  private static Optional<Integer> fixedQuorum(ConfigEntry entry) {
    return entry.isText(QUORUM) ? Optional.empty() : entry.whole(QUORUM);
  }

  /** The N of {@code majority of N}, or the number of members; 0 for a fixed number. */
  private static int majorityOf(ConfigEntry entry, int members) {
    if (!entry.isText(QUORUM)) {
      return 0;
    }
    return entry
        .word(
            QUORUM,
            text -> majorityOf(text, members),
            "\"cluster.quorum\" is not understood:",
            () ->
                "Write a number, or \"majority of 3\" with the number of nodes of the first start"
                    + " (2 to "
                    + MAX_QUORUM
                    + "); \"majority\" alone counts \"members\"")
        .orElse(0);
  }

  private static Optional<Integer> majorityOf(String text, int members) {
    if (text.equals(MAJORITY)) {
      return members < 2 ? Optional.empty() : Optional.of(members);
    }
    String number = text.startsWith(MAJORITY_OF) ? text.substring(MAJORITY_OF.length()) : "";
    if (!number.matches("[0-9]{1,4}")) {
      return Optional.empty();
    }
    int least = Math.max(Integer.parseInt(number), members);
    return least < 2 || least > MAX_QUORUM ? Optional.empty() : Optional.of(least);
  }

  private static void exposed(ConfigEntry entry, ClusterOptions options) {
    if (!options.isLoopback()
        && options.secret() == null
        && !entry.has(SECRET)
        && !entry.has(SECRET_FILE)) {
      entry.wrong(
          entry.line("host"),
          "\"cluster.host\" is an address that other machines may reach, and there is no"
              + " \"cluster.secret\": any process that reaches it could join as a node",
          GIVE_SECRET + "; or listen on 127.0.0.1");
    }
    boolean elsewhere =
        options.kubernetes() != null
            || options.members().stream().anyMatch(member -> !isLoopbackMember(member));
    if (options.isLoopback() && elsewhere) {
      entry.wrong(
          entry.line(options.kubernetes() == null ? "members" : "kubernetes"),
          "the other nodes are on other machines, and this one would listen on "
              + MessageTexts.quote(options.host())
              + ", where they cannot reach it",
          "Set \"cluster.host\" to the address of this machine that they reach, such as"
              + " \"${POD_IP}\", and give all nodes the same \"secretFile\"");
    }
  }

  private static boolean isLoopbackMember(String member) {
    int colon = member.lastIndexOf(':');
    boolean port = colon >= 0 && (member.indexOf(':') == colon || member.startsWith("["));
    return LoopbackHosts.isListenAddress(
        port && !member.endsWith("]") ? member.substring(0, colon) : member);
  }

  // ---- the secret

  private static @Nullable ClusterSecret secret(ConfigEntry entry) {
    if (entry.has(SECRET) && entry.has(SECRET_FILE)) {
      entry.wrong(
          entry.line(SECRET),
          "\"cluster.secret\" and \"cluster.secretFile\" are both given",
          "Keep one of them");
      return null;
    }
    if (entry.has(SECRET_FILE)) {
      return entry.path(SECRET_FILE).map(file -> ofFile(entry, file)).orElse(null);
    }
    if (!entry.has(SECRET)) {
      return ofVariable(entry);
    }
    Filled text = entry.withOwn().text(SECRET).orElse(null);
    if (text != null && text.value().equals(Sensitive.of(text.shown()))) {
      entry.wrong(
          entry.line(SECRET),
          "\"cluster.secret\" is written in the file itself, so every reader of the file learns it",
          "Name a variable, \"${" + VARIABLE + "}\", or a file, \"secretFile\"");
      return null;
    }
    return text == null ? null : parsed(entry, entry.line(SECRET), "\"cluster.secret\"", text);
  }

  private static @Nullable ClusterSecret ofVariable(ConfigEntry entry) {
    Filled text =
        entry
            .substitution()
            .withOwn()
            .fill("${" + VARIABLE + ":-}", entry.node().line(), null)
            .orElse(null);
    return text == null || text.value().isEmpty()
        ? null
        : parsed(entry, entry.node().line(), "the variable " + VARIABLE, text);
  }

  private static @Nullable ClusterSecret ofFile(ConfigEntry entry, Path file) {
    String why;
    try {
      Optional<String> text = BoundedFile.read(file, MAX_BYTES);
      if (text.isPresent()) {
        return parsed(
            entry, entry.line(SECRET_FILE), "\"cluster.secretFile\"", Filled.hidden(text.get()));
      }
      why = "is longer than " + MAX_BYTES + " bytes";
    } catch (IOException e) {
      why = "cannot be read (" + e.getClass().getSimpleName() + ")";
    }
    entry.wrong(
        entry.line(SECRET_FILE),
        "\"cluster.secretFile\" " + MessageTexts.quote(file.toString()) + " " + why,
        "Write one line into it, made with: openssl rand -base64 32");
    return null;
  }

  private static @Nullable ClusterSecret parsed(
      ConfigEntry entry, int line, String where, Filled text) {
    try {
      return ClusterSecret.of(text.value().reveal());
    } catch (IllegalArgumentException e) {
      entry.wrong(line, where + ": " + e.getMessage(), "Give all nodes the same new secret");
      return null;
    }
  }

  private static Optional<ClusterOptions.Tls> tls(ConfigEntry entry) {
    Path cert = entry.path("certFile").orElse(null);
    Path key = entry.path("keyFile").orElse(null);
    Path ca = entry.path("caFile").orElse(null);
    if (entry.lacks("certFile", "keyFile", "caFile")) {
      entry.wrong(
          entry.node().line(),
          "\"cluster.tls\" needs \"certFile\", \"keyFile\" and \"caFile\": nodes show each other"
              + " their certificates",
          "Give all three, PEM files");
    }
    return cert == null || key == null || ca == null
        ? Optional.empty()
        : Optional.of(new ClusterOptions.Tls(cert, key, ca));
  }
}
