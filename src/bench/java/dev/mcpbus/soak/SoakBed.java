package dev.mcpbus.soak;

import dev.mcpbus.security.ApiKeys;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A folder with what a service needs: configuration, keys, a certificate where it speaks TLS. */
final class SoakBed {

  /** After which a session without a client ends, so that a run can wait for it. */
  static final int SESSION_IDLE_MILLIS = 5_000;

  private static final int SHORT_KEY_SECONDS = 90;

  private final Path folder;
  private final Path echo;
  private final boolean tls;
  private final int fixturePort;
  private final ApiKeys.Fresh admin = ApiKeys.generate(new SecureRandom());
  private final ApiKeys.Fresh caller = ApiKeys.generate(new SecureRandom());
  private final ApiKeys.Fresh limited = ApiKeys.generate(new SecureRandom());
  private final ApiKeys.Fresh expiring = ApiKeys.generate(new SecureRandom());

  /**
   * @param echo the program of the stdio servers
   * @param fixturePort of the servers that this process has
   */
  SoakBed(Path folder, Path echo, boolean tls, int fixturePort) {
    this.folder = folder;
    this.echo = echo;
    this.tls = tls;
    this.fixturePort = fixturePort;
  }

  Path folder() {
    return folder;
  }

  boolean tls() {
    return tls;
  }

  /** The key of who may do everything. */
  String admin() {
    return admin.key();
  }

  String caller() {
    return caller.key();
  }

  /** The key that may ask 20 times a second. */
  String limited() {
    return limited.key();
  }

  /** The key that ends {@value #SHORT_KEY_SECONDS} s after the start. */
  String expiring() {
    return expiring.key();
  }

  /** Its program is killed by the run. */
  Path victim() {
    return folder.resolve("victim");
  }

  void prepare() {
    try {
      Files.createDirectories(folder);
      Files.copy(echo, folder.resolve("echo"), StandardCopyOption.REPLACE_EXISTING);
      Files.copy(echo, victim(), StandardCopyOption.REPLACE_EXISTING);
      if (tls) {
        certificate();
      }
      JsonObject all =
          new JsonObject()
              .put("bridge", bridge())
              .put(
                  "gateway",
                  new JsonObject().put("sessionIdle", SESSION_IDLE_MILLIS).put("maxStreams", 2_048))
              .put("auth", auth())
              .put("mcpServers", servers(0));
      write(all);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Path file() {
    return folder.resolve("mcpbus.json");
  }

  /** Changes one server in the file, which the service reads again. */
  void change(long number) {
    try {
      JsonObject all = new JsonObject(Files.readString(file()));
      write(all.put("mcpServers", servers(number)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** At once, so that no half of it is read. */
  private void write(JsonObject all) throws IOException {
    Path next = folder.resolve("mcpbus.json.next");
    Files.writeString(next, all.encodePrettily());
    Files.move(next, file(), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  private JsonObject bridge() {
    JsonObject bridge =
        new JsonObject()
            .put("host", "127.0.0.1")
            .put("receiveTimeout", "10s")
            .put("heartbeat", "3s")
            .put("maxStreams", 1_024);
    return tls
        ? bridge.put("tls", new JsonObject().put("certFile", "cert.pem").put("keyFile", "key.pem"))
        : bridge;
  }

  private JsonObject auth() {
    JsonArray keys =
        new JsonArray()
            .add(key("admin", admin).put("admin", true))
            .add(key("caller", caller))
            .add(
                key("limited", limited)
                    .put("limits", new JsonObject().put("rate", 20).put("burst", 20)))
            .add(
                key("expiring", expiring)
                    .put("expires", Instant.now().plusSeconds(SHORT_KEY_SECONDS).toString()));
    return new JsonObject()
        .put("apiKeys", keys)
        .put(
            "audit",
            new JsonObject().put("file", "audit.log").put("maxMegabytes", 1).put("keep", 2));
  }

  private static JsonObject key(String name, ApiKeys.Fresh key) {
    return new JsonObject().put("name", name).put("hash", key.hash());
  }

  /** The changing one is another one for each number. */
  private JsonObject servers(long number) {
    JsonObject restart =
        new JsonObject()
            .put("intensity", new JsonObject().put("restarts", 1_000).put("period", "1s"))
            .put("backoff", new JsonObject().put("initial", "20ms").put("max", "100ms"));
    return new JsonObject()
        .put("echo", stdio("echo").put("rpcLog", "bus"))
        .put("victim", stdio("victim").put("restart", restart))
        .put("changing", stdio("echo").put("env", new JsonObject().put("TURN", "turn-" + number)))
        .put("demo", new JsonObject().put("type", "bus").put("address", "mcpbus.demo"))
        .put("own", url("/modern"))
        .put("asking", url("/modern").put("capabilities", new JsonArray().add("elicitation")))
        .put("stateful", legacy())
        // Its clients leave it with open questions: a call that waits for one ends soon.
        .put("deserted", legacy().put("requestTimeout", "4s"))
        .put("hostile-flood", url("/hostile/flood"))
        .put("hostile-junk", url("/hostile/junk"))
        .put("hostile-hang", url("/hostile/hang").put("requestTimeout", "1s"))
        .put("hostile-cut", url("/hostile/cut"))
        .put(
            "hostile-noise",
            new JsonObject()
                .put("command", "sh")
                .put("args", new JsonArray().add("-c").add("yes junk | head -c 200000; exit 3")));
  }

  private JsonObject legacy() {
    return url("/legacy").put("protocolVersion", "2025-06-18");
  }

  private JsonObject stdio(String program) {
    return new JsonObject().put("command", folder.resolve(program).toAbsolutePath().toString());
  }

  JsonObject url(String path) {
    return new JsonObject().put("url", "http://127.0.0.1:" + fixturePort + path);
  }

  private void certificate() throws IOException {
    List<String> command =
        new ArrayList<>(List.of("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt"));
    command.addAll(List.of("ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"));
    command.addAll(List.of("-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"));
    command.addAll(List.of("-keyout", "key.pem", "-out", "cert.pem"));
    Process openssl =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("openssl.log").toFile())
            .start();
    try {
      if (!openssl.waitFor(30, TimeUnit.SECONDS) || openssl.exitValue() != 0) {
        openssl.destroyForcibly();
        throw new IllegalStateException(
            "openssl made no certificate, see openssl.log in " + folder);
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
