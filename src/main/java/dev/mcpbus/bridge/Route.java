package dev.mcpbus.bridge;

import dev.mcpbus.bus.HttpPath;
import dev.mcpbus.bus.HttpQuery;
import dev.mcpbus.security.Action;
import io.vertx.core.http.HttpMethod;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One method of one path, with its action for the rights and its description for the OpenAPI
 * document. Immutable.
 *
 * @param path in the form of the router, {@code /api/servers/:id}
 * @param id the {@code operationId}
 * @param query parameters of the query
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
    List<HttpQuery> query,
    @Nullable String body,
    String answer,
    int status,
    String type) {

  static final String JSON = "application/json";
  static final String PLAIN_TEXT = "text/plain";
  static final String EVENT_STREAM = "text/event-stream";

  static Route of(HttpPath path, Action action) {
    return new Route(
        HttpMethod.valueOf(path.verb().name()),
        path.path(),
        action,
        path.id(),
        path.summary(),
        path.query(),
        path.body(),
        path.answer(),
        path.status(),
        JSON);
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

  Route with(HttpQuery... all) {
    return new Route(method, path, action, id, summary, List.of(all), body, answer, status, type);
  }

  Route taking(@Nullable String schema) {
    return new Route(method, path, action, id, summary, query, schema, answer, status, type);
  }

  Route giving(String schema) {
    return new Route(method, path, action, id, summary, query, body, schema, status, type);
  }

  Route typed(String other) {
    return new Route(method, path, action, id, summary, query, body, answer, status, other);
  }

  Route streaming(String schema) {
    return new Route(method, path, action, id, summary, query, body, schema, 200, EVENT_STREAM);
  }
}
