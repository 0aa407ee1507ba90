package dev.mcpbus.bus;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One method of one HTTP path, as which an operation is served. Immutable.
 *
 * @param path in the form of the router, {@code /api/servers/:id/tools}
 * @param id the {@code operationId} of the OpenAPI document
 * @param shape how a request becomes the message to the address; null where the path has a handler
 *     of its own
 * @param body name of the schema of the request's body; null if there is none
 * @param answer name of the schema of the answer
 * @param status of an answer that is not a failure
 */
public record HttpPath(
    Verb verb,
    String path,
    String id,
    String summary,
    @Nullable Shape shape,
    @Nullable String body,
    String answer,
    int status,
    List<HttpQuery> query) {

  /** The method of HTTP. */
  public enum Verb {
    GET,
    POST,
    PUT,
    DELETE
  }

  /** How a request to a path of one server becomes the message to its address. */
  public enum Shape {
    /** Nothing; answered as a document of mcpbus. */
    STATUS(Verb.GET, false),
    /** The body is read, and dropped; answered as a document of mcpbus. */
    STATE(Verb.POST, false),
    /** Nothing. */
    LOOK(Verb.GET, false),
    /** The numbers of the query. */
    NUMBERS(Verb.GET, false),
    /** The same with the number of a call that the path has. */
    NUMBERED_CALL(Verb.POST, false),
    /** The page that the query names. */
    LIST(Verb.GET, false),
    /** The body is the params of MCP. */
    PARAMS(Verb.POST, true),
    /** The body is an object of mcpbus. */
    OBJECT(Verb.POST, true),
    /** The {@code uri} of the query. */
    URI(Verb.GET, false),
    /** The same with the {@code path} of a file. */
    SKILL_FILE(Verb.GET, false),
    /** The same with the page. */
    DIRECTORY(Verb.GET, false),
    /** The body is the arguments of the tool that the path names. */
    TOOL(Verb.POST, false),
    /** The body is the arguments of the prompt that the path names. */
    PROMPT(Verb.POST, false),
    /** The task that the path names. */
    TASK_LOOK(Verb.GET, false),
    /** The same with a body of params. */
    TASK(Verb.POST, true),
    /** The same, whose params say nothing. */
    TASK_ONLY(Verb.POST, false),
    /** The id of a call of the caller's, in the body; answered as a document of mcpbus. */
    CANCEL(Verb.POST, true);

    final Verb verb;

    /** Whether the body is what the address takes, and not something that is put into it. */
    final boolean takes;

    Shape(Verb verb, boolean takes) {
      this.verb = verb;
      this.takes = takes;
    }
  }

  static HttpPath get(String path, String id, String summary, String answer, HttpQuery... query) {
    return new HttpPath(Verb.GET, path, id, summary, null, null, answer, 200, List.of(query));
  }

  static HttpPath post(
      String path, String id, String summary, String body, String answer, HttpQuery... query) {
    return new HttpPath(Verb.POST, path, id, summary, null, body, answer, 200, List.of(query));
  }

  static HttpPath put(String path, String id, String summary, String body, String answer) {
    return new HttpPath(Verb.PUT, path, id, summary, null, body, answer, 200, List.of());
  }

  static HttpPath created(String path, String id, String summary, String body, String answer) {
    return new HttpPath(Verb.POST, path, id, summary, null, body, answer, 201, List.of());
  }

  static HttpPath delete(
      String path, String id, String summary, String answer, HttpQuery... query) {
    return new HttpPath(Verb.DELETE, path, id, summary, null, null, answer, 200, List.of(query));
  }

  /**
   * Of one server: what it takes and gives is that of its row.
   *
   * @param path below {@code /api/servers/:id/}
   */
  static HttpPath path(Shape shape, String path, String id, String summary, HttpQuery... query) {
    return new HttpPath(
        shape.verb, "/api/servers/:id/" + path, id, summary, shape, null, "", 200, List.of(query));
  }

  HttpPath of(String takes, String gives) {
    if (shape == null) {
      return this;
    }
    String body = verb == Verb.GET ? null : shape.takes ? takes : "Object";
    return new HttpPath(verb, path, id, summary, shape, body, gives, status, query);
  }
}
