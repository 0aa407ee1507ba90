package dev.mcpbus.transport.stdio;

import dev.mcpbus.transport.OutputListener;
import dev.mcpbus.transport.StdioOptions;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Watches a child whose command fetches or builds the program before it runs it, such as {@code
 * npx}: it is at that until a line comes that is not the command's own. The lines pass on to
 * another listener. Any thread.
 */
final class Installer implements OutputListener {

  private static final int SHOWN = 200;

  /** The commands, with the words that make one of them fetch or build; none: it always may. */
  private static final Map<String, Set<String>> COMMANDS =
      Map.ofEntries(
          Map.entry("npx", Set.of()),
          Map.entry("pnpx", Set.of()),
          Map.entry("bunx", Set.of()),
          Map.entry("uvx", Set.of()),
          Map.entry("dnx", Set.of()),
          Map.entry("jbang", Set.of()),
          Map.entry("npm", Set.of("exec", "x", "init", "create")),
          Map.entry("pnpm", Set.of("dlx", "exec", "x")),
          Map.entry("yarn", Set.of("dlx", "exec")),
          Map.entry("bun", Set.of("x", "run")),
          Map.entry("deno", Set.of("run", "x")),
          Map.entry("uv", Set.of("run", "tool", "x")),
          Map.entry("pipx", Set.of("run")),
          Map.entry("hatch", Set.of("run")),
          Map.entry("pixi", Set.of("run", "exec")),
          Map.entry("mise", Set.of("exec", "x")),
          Map.entry("nix", Set.of("run", "shell", "develop")),
          Map.entry("dotnet", Set.of("run", "tool", "dnx")),
          Map.entry("go", Set.of("run")),
          Map.entry("cargo", Set.of("run")),
          Map.entry("docker", Set.of("run")),
          Map.entry("podman", Set.of("run")),
          Map.entry("nerdctl", Set.of("run")),
          Map.entry("finch", Set.of("run")));

  /** Commands that run the one after them. */
  private static final Set<String> WRAPPERS =
      Set.of(
          "env", "sudo", "cmd", "wsl", "nohup", "exec", "time", "sh", "bash", "zsh", "dash", "cd");

  /** How the lines of these commands begin, in small letters. */
  private static final List<String> OWN =
      List.of(
          // npm, pnpm, yarn, bun, deno
          "npm ",
          "npx",
          "need to install",
          "ok to proceed",
          "added ",
          "changed ",
          "up to date",
          "pnpm",
          "packages:",
          "progress:",
          "yarn ",
          "➤",
          "bun ",
          "bunx",
          "saved lockfile",
          "task ",
          "initialize ",
          // uv, pipx
          "resolv",
          "download",
          "prepar",
          "build",
          "built",
          "install",
          "updat",
          "using ",
          "creat",
          "uninstall",
          "audited",
          "bytecode",
          "warning:",
          "determin",
          "locking",
          "fetching",
          // docker, podman
          "unable to find image",
          "digest:",
          "status:",
          "trying to pull",
          "getting image",
          "copying ",
          "writing manifest",
          "storing signatures",
          // go, cargo, dotnet, nix, jbang
          "go: ",
          "compiling ",
          "finished ",
          "blocking waiting",
          "restored",
          "tool package",
          "skipping",
          "these ",
          "[jbang]");

  /** What the lines of an image's layers have behind the name. */
  private static final List<String> LAYER =
      List.of(": pull", ": waiting", ": verifying", ": download", ": already exists", ": extract");

  private final OutputListener inner;
  private volatile boolean busy = true;

  Installer(OutputListener inner) {
    this.inner = inner;
  }

  /** The command that may fetch or build the program first; null if it is the program itself. */
  static @Nullable String of(StdioOptions options) {
    StringBuilder line = new StringBuilder(options.command().reveal());
    options.args().forEach(arg -> line.append(' ').append(arg.reveal()));
    String[] words = line.toString().split("[\\s;&|\"'()]+", SHOWN);
    for (int i = 0; i < words.length; i++) {
      String name = name(words[i]);
      Set<String> with = COMMANDS.get(name);
      if (with != null) {
        List<String> rest = List.of(words).subList(i + 1, words.length);
        return with.isEmpty() || rest.stream().anyMatch(with::contains) ? name : null;
      }
      boolean passed =
          WRAPPERS.contains(name)
              || (i > 0 && (isOption(words[i]) || name(words[i - 1]).equals("cd")));
      if (!passed) {
        return null;
      }
    }
    return null;
  }

  /** Of a wrapper: {@code -c}, {@code /c}, {@code NAME=value}. */
  private static boolean isOption(String word) {
    return word.startsWith("-") || word.startsWith("/") || word.indexOf('=') > 0;
  }

  private static String name(String word) {
    String base = word.substring(Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\')) + 1);
    return base.toLowerCase(Locale.ROOT).replaceFirst("\\.(cmd|exe|ps1|bat)$", "");
  }

  /** Whether it still fetches or builds, as far as its lines tell. */
  boolean isBusy() {
    return busy;
  }

  @Override
  public void line(OutputStreamName from, byte[] text, boolean isCut) {
    String line = new String(text, 0, Math.min(text.length, SHOWN), StandardCharsets.UTF_8);
    String small = line.strip().toLowerCase(Locale.ROOT);
    if (!small.isEmpty()) {
      busy = OWN.stream().anyMatch(small::startsWith) || LAYER.stream().anyMatch(small::contains);
    }
    inner.line(from, text, isCut);
  }

  @Override
  public void skipped(long lines) {
    inner.skipped(lines);
  }
}
