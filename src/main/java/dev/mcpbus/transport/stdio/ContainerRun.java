package dev.mcpbus.transport.stdio;

import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.transport.StdioOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A command that starts a container, such as {@code docker run -i --rm IMAGE}. The container is no
 * descendant of the command: it lives on when the command is killed, so it is stopped by itself. It
 * is known by a name of ours, or by its id, which the command writes to a file; never by a name of
 * the user's, which another container may have. Pure.
 *
 * @param args the arguments to start it with
 * @param direct the program that stops it, where the command only passes secrets or limits on to
 *     the program; null for the command
 * @param stop the arguments that stand before {@code stop ID}, the command itself not included
 * @param name of the container; null if its id is in a file
 * @param cidFile the file of its id; null if it has our name and the user wants no file
 * @param removed whether the container is to be removed when it has ended ({@code --rm})
 */
record ContainerRun(
    List<String> args,
    @Nullable String direct,
    List<String> stop,
    @Nullable String name,
    @Nullable Path cidFile,
    boolean removed) {

  private static final Set<String> PROGRAMS = Set.of("docker", "podman", "nerdctl", "finch");

  /** Without these the program would not be found, or not be allowed to stop the container. */
  private static final Set<String> HOSTS =
      Set.of("sudo", "doas", "wsl", "flatpak-spawn", "distrobox-host-exec", "host-spawn");

  /** Global options without a value of their own. Any other may have one in the next argument. */
  private static final Set<String> FLAGS =
      Set.of("-D", "--debug", "--tls", "--tlsverify", "-r", "--remote", "--insecure-registry");

  /** Options of {@code run} without a value; the short ones may stand together. */
  private static final Set<String> RUN_FLAGS =
      Set.of(
          ("--detach --init --interactive --no-healthcheck --oom-kill-disable --privileged"
                  + " --publish-all --quiet --read-only --replace --rm --sig-proxy --tty")
              .split(" "));

  /** Options of {@code run} with a value. */
  private static final Set<String> RUN_VALUES =
      Set.of(
          ("--add-host --annotation --cap-add --cap-drop --cidfile --cpus --device --dns"
                  + " --entrypoint --env --env-file --gpus --group-add --hostname --ipc --label"
                  + " --log-driver --log-opt --memory --mount --name --net --network"
                  + " --network-alias --pid --pids-limit --platform --publish --pull --restart"
                  + " --runtime --security-opt --shm-size --stop-signal --stop-timeout --sysctl"
                  + " --tmpfs --ulimit --user --userns --volume --volumes-from --workdir")
              .split(" "));

  private static final String SHORT_FLAGS = "ditPq";

  /**
   * Reads a command; null where it starts no container that can be told from others.
   *
   * @param key names the container, among all of this host
   * @param file for the id of the container, where it needs one; must not exist
   */
  static @Nullable ContainerRun of(StdioOptions options, String key, Path file) {
    List<String> args = options.args().stream().map(Sensitive::reveal).toList();
    List<String> words = new ArrayList<>(args);
    words.add(0, options.command().reveal());
    int program = WrappedCommand.find(words, PROGRAMS::contains);
    if (program < 0) {
      return null;
    }
    int at = afterOptions(args, program); // of the arguments, which lack the first word
    boolean through =
        program == 0
            || words.subList(0, program).stream()
                .map(WrappedCommand::name)
                .anyMatch(HOSTS::contains);
    List<String> stop = args.subList(through ? 0 : program, Math.min(at, args.size()));
    String direct = through ? null : words.get(program);
    boolean compose = is(args, at, "compose");
    if (compose || is(args, at, "container")) {
      at = afterOptions(args, at + 1);
    }
    if (!is(args, at, "run")) {
      return null;
    }
    List<String> rest = args.subList(at + 1, args.size());
    boolean named = find(rest, "--name") >= 0;
    List<String> sure = rest.subList(0, sureOptions(rest));
    int cid = find(sure, "--cidfile");
    if (compose && named) {
      return null;
    }
    Path cidFile = cid >= 0 ? userFile(options, rest, cid) : named ? file : null;
    List<String> own = new ArrayList<>(args.subList(0, at + 1));
    if (!named) {
      own.add("--name");
      own.add("mcpbus-" + key);
    } else if (cid < 0) {
      own.add("--cidfile");
      own.add(file.toString());
    }
    own.addAll(rest);
    boolean removed = sure.contains("--rm") || sure.contains("--rm=true");
    return new ContainerRun(own, direct, stop, named ? null : "mcpbus-" + key, cidFile, removed);
  }

  private static Path userFile(StdioOptions options, List<String> args, int at) {
    String text = args.get(at);
    int equals = text.indexOf('=');
    String file =
        equals >= 0 ? text.substring(equals + 1) : at + 1 < args.size() ? args.get(at + 1) : "";
    Path cwd = Path.of(options.cwd() == null ? "" : options.cwd().reveal());
    return cwd.resolve(file).toAbsolutePath();
  }

  private static int afterOptions(List<String> args, int from) {
    int at = from;
    while (at < args.size() && args.get(at).startsWith("-")) {
      String option = args.get(at);
      boolean alone =
          FLAGS.contains(option)
              || option.indexOf('=') >= 0
              || (option.length() > 2 && option.charAt(1) != '-');
      at += alone ? 1 : 2;
    }
    return at;
  }

  /**
   * Where the image or the first option stands of which it is not known whether it has a value:
   * what follows may belong to the program in the container.
   */
  private static int sureOptions(List<String> args) {
    int at = 0;
    while (at < args.size() && args.get(at).startsWith("-")) {
      String option = args.get(at);
      if (option.length() > 1 && option.charAt(1) != '-') {
        int letter = 1;
        while (letter < option.length() && SHORT_FLAGS.indexOf(option.charAt(letter)) >= 0) {
          letter++;
        }
        // The first other letter has a value: in this argument, or in the next.
        at += letter == option.length() - 1 ? 2 : 1;
      } else if (RUN_FLAGS.contains(option) || option.indexOf('=') >= 0) {
        at++;
      } else if (RUN_VALUES.contains(option)) {
        at += 2;
      } else {
        break;
      }
    }
    return Math.min(at, args.size());
  }

  private static boolean is(List<String> args, int at, String word) {
    return at < args.size() && args.get(at).equals(word);
  }

  private static int find(List<String> args, String option) {
    String joined = option + "=";
    for (int i = 0; i < args.size(); i++) {
      if (args.get(i).equals(option) || args.get(i).startsWith(joined)) {
        return i;
      }
    }
    return -1;
  }

  /**
   * A script of the shell that stops the container and removes the files that are left of it, also
   * its own.
   *
   * @param program the absolute path of the command
   * @param env the environment of the child; what says where the containers are is kept
   * @param seconds how long the container may take to end by itself
   */
  String script(Path program, Map<String, String> env, long seconds) {
    StringBuilder text = new StringBuilder("# Stops a container that mcpbus has started.\n");
    env.forEach(
        (name, value) -> {
          if (name.matches("PATH|HOME|USER|SSH_AUTH_SOCK|(DOCKER|CONTAINER|XDG|NERDCTL)[A-Z_]*")
              && !name.equals("DOCKER_AUTH_CONFIG")) {
            text.append("export ").append(name).append('=').append(quoted(value)).append('\n');
          }
        });
    String file = cidFile == null ? "" : quoted(cidFile.toString());
    if (name != null) {
      text.append("id=").append(quoted(name)).append('\n');
    } else {
      // A file of the user's may be left from another container.
      text.append("id=; [ ").append(file).append(" -nt \"$0\" ] && id=$(cat ").append(file);
      text.append(")\n");
    }
    StringBuilder command = new StringBuilder(quoted(direct == null ? program.toString() : direct));
    stop.forEach(word -> command.append(' ').append(quoted(word)));
    text.append("if [ -n \"$id\" ]; then\n  ")
        .append(command)
        .append(" stop -t ")
        .append(seconds)
        .append(" \"$id\" || ")
        .append(command)
        .append(removed ? " rm -f" : " kill")
        .append(" \"$id\"\nfi >/dev/null 2>&1\n");
    if (cidFile != null) {
      text.append("[ ").append(file).append(" -nt \"$0\" ] && rm -f ").append(file).append('\n');
    }
    return text.append("rm -f \"$0\"\n").toString();
  }

  private static String quoted(String word) {
    return "'" + word.replace("'", "'\\''") + "'";
  }
}
