package dev.mcpbus.clusterfaults;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One process of the service, with a directory, a configuration and ports of its own. */
final class Node {

  private static final Pattern MEMBERS = Pattern.compile("Members \\{size:(\\d+)");

  /**
   * Where everything of a node is.
   *
   * @param http port of its bridge on its loopback
   */
  record Ports(int http, int hazelcast, int bus) {}

  private static final String SECRET = "what only the nodes of this run know";

  private final int index;
  private final Path folder;
  private Path jar;
  private final Links links;
  private final Ports ports;
  private final String http;
  private final long skewSeconds;
  private Process process;
  private boolean stopped;
  private String drain = "0";
  private String secret = SECRET;
  private boolean isAlone;

  /**
   * @param skewSeconds by which its time of day is off
   */
  Node(int index, Path folder, Path jar, Links links, Ports ports, long skewSeconds) {
    this.skewSeconds = skewSeconds;
    this.index = index;
    this.folder = folder;
    this.jar = jar;
    this.links = links;
    this.ports = ports;
    this.http = "http://" + links.host(index) + ":" + ports.http();
  }

  int index() {
    return index;
  }

  String name() {
    return folder.getFileName().toString();
  }

  /** Of its bridge, as this process reaches it. */
  String http() {
    return http;
  }

  /** Of its bridge, as the node itself knows it. */
  String hostHeader() {
    return "127.0.0.1:" + ports.http();
  }

  String member() {
    return links.host(index) + ":" + ports.hazelcast();
  }

  void configure(String cluster, List<String> members, JsonObject servers) {
    JsonObject own =
        new JsonObject()
            .put("name", cluster)
            .put("node", name())
            .put("host", links.host(index))
            .put("port", ports.hazelcast())
            .put("busPort", ports.bus())
            .put("members", new JsonArray(members))
            .put("quorum", members.size() / 2 + 1);
    write(
        new JsonObject()
            .put("cluster", own)
            .put("mcpServers", servers)
            .put("state", new JsonObject().put("dir", folder.resolve("state").toString())));
  }

  /** Makes it a node without a cluster, with this configuration. */
  void configureAlone(JsonObject all) {
    isAlone = true;
    write(all);
  }

  /** Changes one server in its file, which a running node reads again; null removes it. */
  void configure(String server, JsonObject entry) {
    try {
      JsonObject all = new JsonObject(Files.readString(folder.resolve("mcpbus.json")));
      if (entry == null) {
        all.getJsonObject("mcpServers").remove(server);
      } else {
        all.getJsonObject("mcpServers").put(server, entry);
      }
      write(all);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void write(JsonObject all) {
    Path file = folder.resolve("mcpbus.json");
    Path beside = folder.resolve("mcpbus.json.new");
    try {
      Files.createDirectories(folder);
      Files.writeString(beside, all.encodePrettily());
      Files.move(beside, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The key of its administrator. */
  String adminToken() {
    try {
      return Files.readString(folder.resolve("admin").resolve(Integer.toString(ports.http())))
          .trim();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** How long it serves on after SIGTERM, from its next start on: {@code --drain}. */
  void drain(String time) {
    drain = time;
  }

  /** From its next start on; null for that of the other nodes. */
  void secret(String text) {
    secret = text == null ? SECRET : text;
  }

  /** The service that it runs from its next start on. */
  void jar(Path file) {
    jar = file;
  }

  int httpPort() {
    return ports.http();
  }

  /** Of a process that has ended; -1 where it runs after so many seconds. */
  int awaitExit(int seconds) {
    return await(seconds) ? process.exitValue() : -1;
  }

  void start() {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m"));
    command.addAll(List.of("-jar", jar.toString(), "--config", "mcpbus.json"));
    if (!isAlone) {
      command.add("--cluster");
    }
    command.addAll(List.of("--port", Integer.toString(ports.http()), "--drain", drain));
    try {
      ProcessBuilder builder =
          new ProcessBuilder(links.at(index, command))
              .directory(folder.toFile())
              .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()));
      // Hazelcast says then who its members are.
      builder.environment().put("MCPBUS_CLUSTER_SECRET", secret);
      builder.environment().put("MCPBUS_LOG_CLUSTER", "INFO");
      builder.environment().put("MCPBUS_ADMIN_FOLDER", folder.resolve("admin").toString());
      if (skewSeconds != 0) {
        Path programs = folder.getParent().getParent();
        builder.environment().put("LD_PRELOAD", programs.resolve("skew.so").toString());
        builder.environment().put("SKEW_SECONDS", Long.toString(skewSeconds));
      }
      process = builder.start();
      stopped = false;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Path log() {
    return folder.resolve("out.log");
  }

  /** How often this node has said since its first start that the members have changed. */
  long memberships() {
    return namedMembers().size();
  }

  /** How many members this node has named last. */
  int members() {
    List<Integer> all = namedMembers();
    return all.isEmpty() ? 0 : all.get(all.size() - 1);
  }

  private List<Integer> namedMembers() {
    try (var lines = Files.lines(log(), java.nio.charset.StandardCharsets.ISO_8859_1)) {
      return lines
          .map(MEMBERS::matcher)
          .filter(Matcher::find)
          .map(found -> Integer.parseInt(found.group(1)))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  boolean runs() {
    return process != null && process.isAlive() && !stopped;
  }

  boolean isAlive() {
    return process != null && process.isAlive();
  }

  void kill() {
    process.destroyForcibly();
    await(10);
  }

  /** Stops all of its threads, as a long pause of a collector does. */
  void stop() {
    signal("STOP");
    stopped = true;
  }

  void resume() {
    signal("CONT");
    stopped = false;
  }

  boolean isStopped() {
    return stopped;
  }

  /** Asks it to end; returns when it has. */
  void end() {
    process.destroy();
    if (!await(30)) {
      process.destroyForcibly();
      throw new IllegalStateException(name() + " did not end within 30 s of SIGTERM");
    }
  }

  private boolean await(int seconds) {
    try {
      return process.waitFor(seconds, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private void signal(String name) {
    try {
      int code =
          new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
              .inheritIO()
              .start()
              .waitFor();
      if (code != 0) {
        throw new IllegalStateException("kill -" + name + " of " + name() + " failed");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
