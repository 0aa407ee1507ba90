package dev.mcpbus.config.paste;

import dev.mcpbus.config.read.ClientFile;
import dev.mcpbus.config.read.ConfigKeys;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A name for a server whose text gives none: from the package, the image or the script that its
 * command runs, or from the host of its URL. Pure functions; the name may still need {@link
 * ClientFile#usableName}.
 */
final class DerivedName {

  private static final Pattern HOST =
      Pattern.compile("(?s)[A-Za-z][A-Za-z0-9+.-]*://(?:[^/?#@]*@)?([^/?#:]*)(?::(\\d+))?.*");

  private static final Pattern LOCAL = Pattern.compile("localhost|[\\d.]+|\\[.*");

  /** Labels of a host that say nothing about the server. */
  private static final Set<String> COMMON = Set.of("www", "mcp", "api", "server");

  /** Their first argument that is no option names what runs. */
  private static final Pattern RUNNER =
      Pattern.compile(
          "npx|bunx|uvx|pnpx|dnx|node|bun|deno|tsx|ts-node|python[\\d.]*|ruby|php|sh|bash|java");

  /**
   * Words that stand between a runner and its package, such as {@code run} in {@code deno run x}.
   */
  private static final Set<String> BETWEEN = Set.of("run", "dlx", "exec", "x", "tool", "start");

  private static final Set<String> WITH_SUBCOMMAND =
      ConfigKeys.words("docker podman nerdctl pipx uv npm pnpm yarn bun deno");

  /** Options of these programs that take the next word. */
  private static final Set<String> WITH_VALUE =
      ConfigKeys.words(
          "-e -v -p -w -u -l --env --env-file --volume --mount --name --network --publish "
              + "--user --entrypoint --platform --python --with --directory --project --cwd "
              + "--prefix");

  /** Options whose value is the package itself. */
  private static final Set<String> OF_PACKAGE = Set.of("--package", "--from", "-m", "-jar");

  private static final Set<String> PLAIN_FILES =
      ConfigKeys.words("index main server app cli mcp dist build src bin lib");

  private static final int MAX_NAME = 1_000;

  private DerivedName() {}

  static String ofUrl(String url) {
    Matcher host = HOST.matcher(url);
    if (!host.matches() || host.group(1).isEmpty()) {
      return lastPart(url.replaceFirst("(?s)[?#].*", ""));
    }
    String name = host.group(1).toLowerCase(Locale.ROOT);
    if (LOCAL.matcher(name).matches()) {
      return "local" + (host.group(2) == null ? "" : "-" + host.group(2));
    }
    List<String> labels = List.of(name.split("\\.", -1));
    return labels.subList(0, Math.max(1, labels.size() - 1)).stream()
        .filter(label -> !COMMON.contains(label) && !label.isEmpty())
        .findFirst()
        .orElse(labels.get(0));
  }

  /**
   * @param words the program and its arguments
   */
  static String ofCommand(List<String> words) {
    String program = lastPart(words.get(0)).replaceFirst("(?i)\\.(exe|cmd|bat)$", "");
    boolean subcommand = WITH_SUBCOMMAND.contains(program);
    if (!subcommand && !RUNNER.matcher(program).matches()) {
      return plain(words.get(0));
    }
    for (int i = 1; i < words.size(); i++) {
      String word = words.get(i);
      if (OF_PACKAGE.contains(word) && i + 1 < words.size()) {
        return plain(words.get(i + 1));
      }
      if (WITH_VALUE.contains(word) && !(word.equals("-p") && program.equals("npx"))) {
        i++;
      } else if (word.equals("-p") && i + 1 < words.size()) {
        return plain(words.get(i + 1));
      } else if (!word.startsWith("-") && !(subcommand && BETWEEN.contains(word))) {
        return plain(word);
      }
    }
    return plain(words.get(0));
  }

  /** The name in a package, an image or a path; of a long one in its end. */
  private static String plain(String name) {
    String written = name.substring(Math.max(0, name.length() - MAX_NAME));
    boolean scoped = written.startsWith("@");
    String bare =
        (scoped ? "@" : "")
            + written.substring(scoped ? 1 : 0).replaceFirst("(?s)(@|==|\\[|:(?!.*/)).*", "");
    String last = lastPart(bare);
    if (!scoped) {
      last = last.replaceFirst("(?i)\\.(js|mjs|cjs|ts|py|jar|rb|php|sh|exe|cmd)$", "");
    }
    String bareName = withoutCommon(last);
    if (!bareName.isEmpty() && !PLAIN_FILES.contains(bareName)) {
      return bareName;
    }
    String before = bare.substring(0, Math.max(0, bare.length() - lastPart(bare).length()));
    String folder = before.replaceFirst("(?<!/)/+$", "").replaceFirst("^@", "");
    return folder.isEmpty() || folder.equals(".") ? last : plain(folder);
  }

  /** {@code server-github}, {@code mcp-server-time} and {@code context7-mcp} lose the rest. */
  private static String withoutCommon(String name) {
    return name.replaceFirst("(?i)^(mcp[-_])?(server[-_]|mcp$|server$)|^mcp[-_]", "")
        .replaceFirst("(?i)([-_]mcp)?[-_](server|mcp)$", "")
        .replaceFirst("(?i)^(server|mcp)$", "");
  }

  private static String lastPart(String path) {
    String whole = path.replaceFirst("(?<![/\\\\])[/\\\\]+$", "");
    return whole.substring(Math.max(whole.lastIndexOf('/'), whole.lastIndexOf('\\')) + 1);
  }
}
