package dev.mcpbus.connection;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.connection.session.BusCall;
import dev.mcpbus.connection.session.ConnectionFailures;
import dev.mcpbus.connection.session.InternalRequest;
import dev.mcpbus.connection.session.WorkerThreshold;
import dev.mcpbus.connection.skills.SkillContent;
import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.SkillEntry;
import dev.mcpbus.protocol.SkillRequest;
import dev.mcpbus.protocol.SkillsExtension;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * The operations of the extension of skills (SEP-2640). Nothing is read ahead of need: a list reads
 * no file, and a file is read when a caller asks for it. Owner: the connection's context.
 */
final class SkillOperations {

  private SkillOperations() {}

  /** Whether the server declares the extension. */
  static boolean areOffered(ReadySession ready) {
    return SkillsExtension.isOfferedBy(ready.server().capabilities());
  }

  /** {@code skills/get}: the entry of one skill, as the server gives it. */
  static void get(ReadySession ready, BusCall call) {
    if (areOffered(ready)) {
      ready.session().send(call, call.params());
    } else {
      call.fail(ConnectionFailures.lacks(call.method(), SkillsExtension.ID));
    }
  }

  /** {@code resources/directory/read}, which a server may have only if it says so. */
  static void directory(ReadySession ready, BusCall call) {
    if (SkillsExtension.readsDirectories(ready.server().capabilities())) {
      ready.session().send(call, call.params());
    } else {
      call.fail(ConnectionFailures.lacks(call.method(), SkillsExtension.ID + " directoryRead"));
    }
  }

  /**
   * Reads one file of a skill, and gives it to the caller only if it is what the skill's entry
   * says: the entry that the caller holds, else the server's present one. A file that is not fails
   * with {@code SKILL_REJECTED}; so does an entry that hosts must not use.
   */
  static void read(ReadySession ready, BusCall call) {
    SkillRequest wanted = SkillRequest.of(call.params());
    if (wanted == null) {
      call.fail(
          McpFailure.badRequest(
              "the body must be {\"uri\": the URI of a SKILL.md, \"path\": of a file below its"
                  + " directory, or absent for the SKILL.md, \"skill\": the entry that you hold, or"
                  + " absent}; a path must not lead out of the directory"));
      return;
    }
    if (!areOffered(ready)) {
      call.fail(ConnectionFailures.lacks(Methods.SKILLS_GET, SkillsExtension.ID));
      return;
    }
    entry(ready, call, wanted)
        .compose(entry -> checked(ready, wanted, entry))
        .compose(skill -> content(ready, call, wanted, skill))
        .onComplete(
            answer -> call.attempt(() -> call.complete(answer)),
            failure -> call.fail(McpFailure.of(failure)));
  }

  private static Future<RawJson> entry(ReadySession ready, BusCall call, SkillRequest wanted) {
    if (wanted.held() != null) {
      return Future.succeededFuture(wanted.held());
    }
    RawJson uri = RawJson.EMPTY_OBJECT.with("uri", RawJson.string(wanted.uri()));
    return request(ready, call, Methods.SKILLS_GET, uri)
        .map(
            result -> {
              RawJson entry = result.member("skill");
              return entry == null ? RawJson.NULL : entry;
            });
  }

  private static Future<SkillEntry> checked(
      ReadySession ready, SkillRequest wanted, RawJson entry) {
    return near(
        ready,
        entry,
        () -> {
          try {
            SkillEntry skill = SkillEntry.of(entry);
            if (!skill.uri().equals(wanted.uri())) {
              throw rejected(wanted.uri(), "its entry is that of another skill");
            }
            SkillContent.listed(skill, wanted.file());
            return skill;
          } catch (SkillEntry.InvalidSkillException e) {
            throw e.isTooLarge()
                ? McpFailure.maybeSent(
                    FailureCode.LIMIT_EXCEEDED,
                    "the skill " + wanted.uri() + " was not read: " + e.getMessage())
                : rejected(wanted.uri(), "its entry cannot be used: " + e.getMessage());
          } catch (SkillContent.MismatchException e) {
            throw rejected(wanted.file(), e.getMessage());
          }
        });
  }

  private static Future<RawJson> content(
      ReadySession ready, BusCall call, SkillRequest wanted, SkillEntry skill) {
    RawJson uri = RawJson.EMPTY_OBJECT.with("uri", RawJson.string(wanted.file()));
    return request(ready, call, Methods.RESOURCES_READ, uri)
        .compose(
            result ->
                near(
                    ready,
                    result,
                    () -> {
                      try {
                        return marked(result, skill, SkillContent.of(skill, wanted.file(), result));
                      } catch (SkillContent.MismatchException e) {
                        throw rejected(wanted.file(), e.getMessage());
                      }
                    }));
  }

  private static RawJson marked(RawJson result, SkillEntry skill, SkillContent content) {
    JsonObject mark =
        new JsonObject()
            .put("uri", skill.uri())
            .put("digest", content.digest())
            .put("verified", content.verified());
    if (content.invisible() > 0) {
      mark.put("invisibleCharacters", content.invisible());
    }
    RawJson meta = result.member("_meta");
    return result.with(
        "_meta",
        (meta == null || !meta.isObject() ? RawJson.EMPTY_OBJECT : meta)
            .with(MetaKeys.SKILL, RawJson.of(mark)));
  }

  private static Future<RawJson> request(
      ReadySession ready, BusCall call, String method, RawJson params) {
    InternalRequest request = InternalRequest.of(method, call);
    ready.session().send(request, params);
    return request.future();
  }

  /** Long JSON is read by a worker: a digest of 16 MiB takes too long for an event loop. */
  private static <T> Future<T> near(ReadySession ready, RawJson json, Callable<T> work) {
    if (WorkerThreshold.isExceededBy(json)) {
      return ready.session().vertx().executeBlocking(work, false);
    }
    try {
      return Future.succeededFuture(work.call());
    } catch (Exception e) {
      return Future.failedFuture(e);
    }
  }

  private static McpFailure rejected(String uri, @Nullable String reason) {
    return McpFailure.maybeSent(FailureCode.SKILL_REJECTED, uri + " is not passed on: " + reason);
  }
}
