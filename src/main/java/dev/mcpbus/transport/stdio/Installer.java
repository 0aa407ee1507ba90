package dev.mcpbus.transport.stdio;

import dev.mcpbus.transport.OutputListener;
import dev.mcpbus.transport.StdioOptions;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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
      Stream.of(
              "npx",
              "pnpx",
              "bunx",
              "uvx",
              "dnx",
              "jbang",
              "nix-shell",
              "npm exec x init create",
              "pnpm dlx exec x",
              "yarn dlx exec",
              "bun x run",
              "deno run x",
              "uv run tool x",
              "pipx run",
              "hatch run",
              "pixi run exec",
              "rye run",
              "mise exec x",
              "nix run shell develop",
              "devbox run",
              "dotnet run tool dnx",
              "go run",
              "cargo run",
              "swift run",
              "dart run",
              "stack run exec",
              "cabal run",
              "docker run",
              "docker-compose run",
              "podman run",
              "podman-compose run",
              "nerdctl run",
              "finch run",
              "apptainer run exec",
              "singularity run exec")
          .map(line -> List.of(line.split(" ")))
          .collect(
              Collectors.toUnmodifiableMap(
                  words -> words.get(0), words -> Set.copyOf(words.subList(1, words.size()))));

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
          "+ ",
          "done in ",
          "dependencies:",
          "already up to date",
          "warn ",
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
          "[+] ",
          "container ",
          "network ",
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
    List<String> words = List.of(line.toString().split("[\\s;&|\"'()]+", SHOWN));
    int at = WrappedCommand.find(words, COMMANDS::containsKey);
    if (at < 0) {
      return null;
    }
    String name = WrappedCommand.name(words.get(at));
    Set<String> with = COMMANDS.getOrDefault(name, Set.of());
    boolean installs = with.isEmpty() || words.stream().skip(at + 1L).anyMatch(with::contains);
    return installs ? name : null;
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
