package dev.mcpbus.soak;

import dev.mcpbus.soak.LoadClient.Unexpected;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.util.List;

/** What happens to servers: added, removed, killed, changed in the file, hostile. */
final class ServerChurn {

  private static final String HELLO = "{\"text\":\"hello\"}";

  private final LoadClient client;
  private final SoakedService service;

  ServerChurn(LoadClient client, SoakedService service) {
    this.client = client;
    this.service = service;
  }

  List<ChurnKind> kinds() {
    return List.of(
        ChurnKind.of("server-add-remove", this::addAndRemove).withLanes(4).withPause(1_000),
        ChurnKind.of("child-kill", this::kill).withLanes(1).withShare(0.05).withPause(2_000),
        ChurnKind.of("reload", this::reload).withLanes(1).withShare(0.02).withPause(5_000),
        ChurnKind.of("hostile-server", this::hostile).withShare(0.2).withPause(500));
  }

  private String[] admin() {
    return new String[] {"Authorization", "Bearer " + service.bed().admin()};
  }

  private Future<String> addAndRemove(long number) {
    String name = "guest-" + number;
    JsonObject config =
        number % 10 == 0
            ? new JsonObject()
                .put("command", service.bed().victim().toAbsolutePath() + "-not-there")
            : number % 10 == 1
                ? new JsonObject()
                    .put(
                        "command",
                        service.bed().folder().resolve("echo").toAbsolutePath().toString())
                : service.bed().url("/modern");
    boolean works = number % 10 != 0;
    String body = new JsonObject().put("name", name).put("config", config).encode();
    return client
        .post("/api/servers", body, admin())
        .compose(answer -> answer.expect(201))
        .compose(
            added ->
                works
                    ? client
                        .post("/api/servers/" + name + "/tools/echo", HELLO)
                        .compose(answer -> answer.expect(200))
                    : Future.succeededFuture(added))
        .compose(called -> client.delete("/api/servers/" + name, admin()))
        .compose(answer -> answer.expect(200, 204))
        .map("removed");
  }

  /** Kills the child; calls are served again soon after. */
  private Future<String> kill(long number) {
    List<ProcessHandle> children = service.children(service.bed().victim());
    children.forEach(ProcessHandle::destroyForcibly);
    return again(100).map(children.isEmpty() ? "none ran" : "killed");
  }

  private Future<Void> again(int times) {
    return client
        .post("/api/servers/victim/tools/echo", HELLO)
        .compose(
            answer ->
                answer.status() == 200
                    ? Future.<Void>succeededFuture()
                    : times == 0
                        ? Future.failedFuture(new Unexpected("never again: " + answer.text()))
                        : client.vertx().timer(50).compose(later -> again(times - 1)));
  }

  /** The file changes one server; the service has read it when that server's epoch has risen. */
  private Future<String> reload(long number) {
    return epoch()
        .compose(
            before ->
                client
                    .vertx()
                    .<Void>executeBlocking(
                        () -> {
                          service.bed().change(System.nanoTime());
                          return null;
                        })
                    .compose(written -> changed(before, 100)))
        .map("read");
  }

  /** Names this life of the server that the file changes. */
  private Future<String> epoch() {
    return client
        .get("/api/servers/changing/status")
        .map(
            answer -> {
              JsonObject status = answer.status() == 200 ? new JsonObject(answer.text()) : null;
              return status == null
                  ? ""
                  : status.getValue("epoch") + " " + status.getValue("since");
            });
  }

  private Future<Void> changed(String before, int times) {
    return client
        .vertx()
        .timer(100)
        .compose(later -> epoch())
        .compose(
            now ->
                !now.isEmpty() && !now.equals(before)
                    ? Future.<Void>succeededFuture()
                    : times == 0
                        ? Future.failedFuture(new Unexpected("the file was not read again"))
                        : changed(before, times - 1));
  }

  /** A call to a server that does what it should not: it ends with a code, whatever it is. */
  private Future<String> hostile(long number) {
    List<String> all =
        List.of("hostile-flood", "hostile-junk", "hostile-hang", "hostile-cut", "hostile-noise");
    String name = all.get((int) (number % all.size()));
    return client
        .post("/api/servers/" + name + "/tools/echo?timeout=500", HELLO)
        .compose(answer -> answer.expect(200, 404, 422, 429, 500, 502, 503, 504))
        .map(answer -> name.substring(8) + " " + answer.status());
  }
}
