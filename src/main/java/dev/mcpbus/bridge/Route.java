package dev.mcpbus.bridge;

import dev.mcpbus.security.Action;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One method of one path, with its action for the rights and its description for the OpenAPI
 * document. Immutable.
 *
 * @param path in the form of the router, {@code /api/servers/:id}
 * @param id the {@code operationId}
 * @param query parameters of the query; optional unless {@link Param#required}
 * @param body schema of the request's body; null if there is none
 * @param answer schema of the answer
 * @param status of an answer that is not a failure
 * @param type media type of that answer
 */
record Route(
    HttpMethod method,
    String path,
    Action action,
    String id,
    String summary,
    List<Param> query,
    @Nullable String body,
    String answer,
    int status,
    String type) {

  static final String JSON = "application/json";
  static final String PLAIN_TEXT = "text/plain";
  static final String EVENT_STREAM = "text/event-stream";

  /**
   * A parameter of the query.
   *
   * @param schema the parameter's JSON Schema
   */
  record Param(String name, String summary, boolean required, JsonObject schema) {

    static Param text(String name, String summary) {
      return new Param(name, summary, false, new JsonObject().put("type", "string"));
    }

    static Param flag(String name, String summary) {
      return new Param(name, summary, false, new JsonObject().put("type", "boolean"));
    }

    static Param whole(String name, String summary) {
      return number(name, summary, 1);
    }

    static Param number(String name, String summary, int min) {
      JsonObject schema = new JsonObject().put("type", "integer").put("minimum", min);
      return new Param(name, summary, false, schema);
    }

    static Param word(String name, String summary, String... words) {
      JsonObject schema = new JsonObject().put("enum", new JsonArray(List.of(words)));
      return new Param(name, summary, false, schema.put("type", "string"));
    }

    /** A parameter that may be given several times. */
    static Param texts(String name, String summary) {
      JsonObject item = new JsonObject().put("type", "string");
      return new Param(
          name, summary, false, new JsonObject().put("type", "array").put("items", item));
    }

    Param must() {
      return new Param(name, summary, true, schema);
    }
  }

  static Route of(HttpMethod method, String path, Action action, String id, String summary) {
    return new Route(method, path, action, id, summary, List.of(), null, "Object", 200, JSON);
  }

  static Route get(String path, Action action, String id, String summary) {
    return of(HttpMethod.GET, path, action, id, summary);
  }

  static Route post(String path, Action action, String id, String summary) {
    return of(HttpMethod.POST, path, action, id, summary).taking("Object");
  }

  static Route delete(String path, Action action, String id, String summary) {
    return of(HttpMethod.DELETE, path, action, id, summary);
  }

  Route with(Param... more) {
    List<Param> all = new ArrayList<>(query);
    all.addAll(List.of(more));
    return new Route(
        method, path, action, id, summary, List.copyOf(all), body, answer, status, type);
  }

  Route taking(@Nullable String schema) {
    return new Route(method, path, action, id, summary, query, schema, answer, status, type);
  }

  Route giving(String schema) {
    return new Route(method, path, action, id, summary, query, body, schema, status, type);
  }

  Route giving(int code, String schema) {
    return new Route(method, path, action, id, summary, query, body, schema, code, type);
  }

  Route typed(String other) {
    return new Route(method, path, action, id, summary, query, body, answer, status, other);
  }

  Route streaming(String schema) {
    return new Route(method, path, action, id, summary, query, body, schema, 200, EVENT_STREAM);
  }
}
