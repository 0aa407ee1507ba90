package dev.mcpbus.transport.stdio;

import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.transport.StdioOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A program {@code docker} whose containers are processes of their own: they ignore SIGTERM, have
 * nothing of the command's environment, and live on when it is killed. The file {@code log} has its
 * commands, {@code NAME.pid} the process group of a container.
 */
final class FakeDocker {

  private static final String SCRIPT =
      """
      #!/bin/sh
      d=$(dirname "$0")
      echo "$@" >> "$d/log"
      for last; do :; done
      case " $* " in
        *" run "*)
          while [ $# -gt 0 ]; do
            case $1 in
              --name) n=$2 ;;
              --cidfile) c=$2 ;;
            esac
            shift
          done
          env -i PATH="$PATH" setsid sh -c 'echo $$ > "$1"; while :; do sleep 1000; done' \
              container "$d/$n.pid" < /dev/null > /dev/null 2>&1 &
          if [ -n "$c" ]; then echo "$n" > "$c"; fi
          while [ ! -s "$d/$n.pid" ]; do sleep 0.01; done
          trap '' TERM
          echo '{"jsonrpc":"2.0","method":"up"}'
          while :; do sleep 1000; done ;;
        *" stop "*)
          [ -f "$d/deaf" ] && exit 1
          kill -s KILL -- "-$(cat "$d/$last.pid")" ;;
        *) kill -s KILL -- "-$(cat "$d/$last.pid")" ;;
      esac
      """;

  private final Path folder;

  FakeDocker(Path folder) throws IOException {
    this.folder = folder;
    Path program = folder.resolve("docker");
    if (!Files.exists(program)) {
      Files.writeString(program, SCRIPT);
      program.toFile().setExecutable(true);
    }
  }

  StdioOptions options(String... args) {
    return RecordCopy.with(
        StdioOptions.of(folder.resolve("docker").toString(), List.of(args)),
        "closeGrace",
        Peer.GRACE);
  }

  /** Its containers never stop when they are asked to. */
  void deaf() throws IOException {
    Files.createFile(folder.resolve("deaf"));
  }

  List<String> log() throws IOException {
    return Files.readAllLines(folder.resolve("log"));
  }

  /** The processes of the containers that run, or have run. */
  List<Long> containers() throws IOException {
    List<Long> pids = new ArrayList<>();
    try (var files = Files.newDirectoryStream(folder, "*.pid")) {
      for (Path file : files) {
        pids.add(Long.parseLong(Files.readString(file).strip()));
      }
    }
    return pids;
  }
}
