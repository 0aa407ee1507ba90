package dev.mcpbus.transparency;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;

/**
 * What a client may send and few do: members that no specification defines, and values that do not
 * fit.
 */
final class OddRequests {

  private static final int NOBODYS_ID = 4711;
  private static final long LARGEST_ID = 9_007_199_254_740_991L;

  private final Dialog dialog;

  /**
   * @param dialog after its handshake
   */
  OddRequests(Dialog dialog) {
    this.dialog = dialog;
  }

  /**
   * Sends them all.
   *
   * @param lists the methods that list
   * @param tool a tool that does no harm, whatever it gets
   * @param arguments that fit it
   * @param older whether the gateway, too, speaks to the server in the version of an older client
   */
  void run(List<String> lists, String tool, JsonObject arguments, boolean older) {
    JsonObject unknown = new JsonObject().put("x.example/unknown", new JsonArray().add(1));
    for (String list : lists) {
      ask(list, "with a wrong cursor", new JsonObject().put("cursor", "no-such-cursor"));
      JsonObject more = new JsonObject().put("x", 1).put("_meta", unknown);
      dialog.list(list + " with unknown members", list, more);
    }
    ask("tools/list", "with a number as cursor", new JsonObject().put("cursor", 5));
    calls(tool, arguments, unknown);
    named();
    dialog.ask("an id/1", "tools/list with a text as id", "tools/list", new JsonObject());
    dialog.ask(LARGEST_ID, "tools/list with a large id", "tools/list", new JsonObject());
    if (older && !dialog.speaksDiscover()) {
      ofInitialize(unknown);
    }
    dialog.tell("notifications/no/such", new JsonObject().put("x", 1));
    dialog.takeBack("tools/list taken back", "tools/list", new JsonObject());
    ask("tools/list", "after all that", new JsonObject());
  }

  private void ask(String method, String what, JsonObject params) {
    dialog.ask(method + " " + what, method, params);
  }

  private void calls(String tool, JsonObject arguments, JsonObject unknown) {
    JsonObject named = new JsonObject().put("name", tool);
    ask("tools/call", "without name", new JsonObject().put("arguments", arguments));
    ask("tools/call", "with a number as name", new JsonObject().put("name", 5));
    ask("tools/call", "without arguments", named);
    ask("tools/call", "with null arguments", named.copy().putNull("arguments"));
    ask("tools/call", "with a list of arguments", named.copy().put("arguments", new JsonArray()));
    JsonObject call = named.copy().put("arguments", arguments).put("x", new JsonObject());
    ask("tools/call", "with unknown members", call.copy().put("_meta", unknown));
    JsonObject token = new JsonObject().put("progressToken", 7);
    ask("tools/call", "with a number as progress token", call.copy().put("_meta", token));
  }

  private void named() {
    ask("prompts/get", "without name", new JsonObject());
    ask("prompts/get", "with a number as name", new JsonObject().put("name", 5));
    ask("resources/read", "with a number as uri", new JsonObject().put("uri", 5));
    ask("completion/complete", "without all", new JsonObject());
    JsonObject ref = new JsonObject().put("type", "ref/no-such").put("name", "a");
    JsonObject argument = new JsonObject().put("name", "a").put("value", "");
    JsonObject complete = new JsonObject().put("ref", ref).put("argument", argument);
    ask("completion/complete", "of an unknown kind", complete);
    JsonObject context =
        new JsonObject().put("arguments", new JsonObject().put("b", "c")).put("x", 1);
    JsonObject prompt = ref.copy().put("type", "ref/prompt");
    ask("completion/complete", "in context", complete.put("ref", prompt).put("context", context));
  }

  /** Of methods that 2026-07-28 has not. */
  private void ofInitialize(JsonObject unknown) {
    ask("ping", "with params", new JsonObject().put("x", 1).put("_meta", unknown));
    ask("logging/setLevel", "to an unknown one", new JsonObject().put("level", "loud"));
    ask("logging/setLevel", "to none", new JsonObject());
    JsonObject uri = new JsonObject().put("uri", "no-such://thing");
    ask("resources/subscribe", "to an unknown uri", uri);
    ask("resources/unsubscribe", "from an unknown uri", uri);
    ask("resources/subscribe", "to none", new JsonObject());
    dialog.answerUnasked(NOBODYS_ID);
    dialog.tell("notifications/cancelled", new JsonObject().put("requestId", NOBODYS_ID));
  }
}
