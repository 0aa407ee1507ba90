package dev.mcpbus.gateway.request;

import dev.mcpbus.directory.DirectorySnapshot;
import dev.mcpbus.directory.DirectoryView;
import dev.mcpbus.directory.RenamedUris;
import dev.mcpbus.protocol.ByteSearch;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * The URIs that a server's result hands out: resource links and embedded resources in the content
 * of tool calls and of prompts, and the contents of a resource. They become the client's, so that
 * it can read them at the server that they came from. Stateless.
 */
public final class ResultUris {

  private static final ByteSearch MEMBER = new ByteSearch("\"uri\"");
  private static final String URI = "uri";

  /** Bytes of a result that is read and written anew on a worker. */
  private static final int LARGE = 64 * 1024;

  private ResultUris() {}

  /** Whether a result may have a URI; nearly none has, and needs no reading. */
  static boolean mayBeIn(RawJson result) {
    return MEMBER.isIn(result);
  }

  /** The result of a server, by the URIs of a view. */
  public static Future<RawJson> named(
      Vertx vertx, RawJson result, String server, DirectoryView view, DirectorySnapshot snapshot) {
    if (view.isOfOneServer() || !mayBeIn(result)) {
      return Future.succeededFuture(result);
    }
    UnaryOperator<String> name = snapshot.uris(view).renaming(server, false);
    return changed(vertx, result, all -> renamed(all, name));
  }

  /**
   * Applies a change that reads the whole result and takes time for each URI in it. A server may
   * send hundreds of thousands of them: so a large result is changed on a worker, one at a time for
   * each event loop, and the callers of other servers do not wait for it.
   *
   * @param change uses what is immutable alone
   * @return completes on the caller's context
   */
  static Future<RawJson> changed(Vertx vertx, RawJson result, UnaryOperator<RawJson> change) {
    return result.length() < LARGE
        ? Future.succeededFuture(change.apply(result))
        : vertx.executeBlocking(() -> change.apply(result));
  }

  /**
   * @param name from the server's own URI to the client's
   */
  static RawJson renamed(RawJson result, UnaryOperator<String> name) {
    RawJson named = result;
    named = each(named, "content", block -> block(block, name));
    named = each(named, "messages", message -> inside(message, "content", name));
    named = each(named, "contents", content -> RenamedUris.in(content, URI, name));
    RawJson ofTask = named.member("result");
    return ofTask == null || !ofTask.isObject()
        ? named
        : replaced(named, "result", ofTask, renamed(ofTask, name));
  }

  /** A message of a prompt: its content is one block, or a list of them. */
  private static RawJson inside(RawJson message, String member, UnaryOperator<String> name) {
    RawJson content = message.member(member);
    if (content == null) {
      return message;
    }
    return content.isArray()
        ? each(message, member, block -> block(block, name))
        : replaced(message, member, content, block(content, name));
  }

  private static RawJson block(RawJson block, UnaryOperator<String> name) {
    RawJson type = block.member("type");
    String what = type == null || !type.isString() ? "" : type.asString();
    if (what.equals("resource_link")) {
      return RenamedUris.in(block, URI, name);
    }
    RawJson resource = what.equals("resource") ? block.member("resource") : null;
    return resource == null
        ? block
        : replaced(block, "resource", resource, RenamedUris.in(resource, URI, name));
  }

  private static RawJson each(RawJson object, String member, UnaryOperator<RawJson> change) {
    RawJson array = object.member(member);
    if (array == null || !array.isArray()) {
      return object;
    }
    List<RawJson> elements = array.elements();
    List<RawJson> changed = new ArrayList<>(elements);
    changed.replaceAll(change);
    return changed.equals(elements) ? object : object.with(member, RawJson.array(changed));
  }

  /** Keeps the object's own bytes where nothing has changed. */
  private static RawJson replaced(RawJson object, String member, RawJson before, RawJson after) {
    return after.equals(before) ? object : object.with(member, after);
  }
}
