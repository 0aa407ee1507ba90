package dev.mcpbus.security;

import dev.mcpbus.bus.ServerOperation;
import dev.mcpbus.bus.ServerOperation.Subject;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.SkillRequest;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the policies decide on, by the rows of {@link ServerOperation}. Every door derives the
 * {@link Operation} from the params that it is going to send, so what is decided on is what is
 * sent. A method without a row is denied if there are policies, and requires the admin right
 * otherwise. Stateless.
 *
 * <p>Params come from a request that was parsed strictly: no member stands twice.
 */
public final class OperationTable {

  /**
   * Methods without an address: they concern what belongs to the caller, and the door handles them.
   * They are never sent to a server for the caller.
   */
  private static final Map<String, Action> OWN =
      Map.of(
          Methods.INITIALIZE, Action.LIST,
          Methods.INITIALIZED, Action.LIST,
          Methods.DISCOVER, Action.LIST,
          Methods.LISTEN, Action.SUBSCRIBE,
          Methods.CANCELLED, Action.CALL,
          Methods.PROGRESS, Action.CALL,
          Methods.ROOTS_CHANGED, Action.CALL);

  private OperationTable() {}

  /** The action of a method; null if the method has no row: no client may send it. */
  public static @Nullable Action action(String method) {
    ServerOperation row = ServerOperation.ofMethod(method);
    return row == null ? OWN.get(method) : action(row.subject);
  }

  /** The action of an operation; of a raw request and a reference that of most of them. */
  public static Action action(Subject subject) {
    return switch (subject) {
      case LIST, LIST_WHOLE -> Action.LIST;
      case CALL, TOOL, METHOD -> Action.CALL;
      case PROMPT, REFERENCE -> Action.GET;
      case RESOURCE, SKILL_FILE -> Action.READ;
      case SUBSCRIPTION -> Action.SUBSCRIBE;
      case METRICS -> Action.METRICS;
      case ADMIN -> Action.ADMIN;
    };
  }

  /** The operation of a request with {@code method} and {@code params} to {@code server}. */
  public static Operation of(String server, String method, RawJson params) {
    ServerOperation row = ServerOperation.ofMethod(method);
    return row == null ? Operation.unknown(server) : of(server, row.subject, params);
  }

  /**
   * The operation of a message with this body to {@code server}.
   *
   * @param body the server's own names, not those of a view
   */
  public static Operation of(String server, Subject subject, RawJson body) {
    return switch (subject) {
      case LIST, CALL, METRICS, ADMIN -> Operation.of(action(subject), server, "");
      case LIST_WHOLE -> Operation.whole(Action.LIST, server);
      case TOOL, PROMPT, RESOURCE, SUBSCRIPTION ->
          named(action(subject), server, body, String.valueOf(subject.member));
      case REFERENCE -> reference(server, body);
      case METHOD -> described(server, body);
      case SKILL_FILE -> skill(server, body);
    };
  }

  /** Reading a file of a skill is reading that resource. */
  public static Operation skill(String server, RawJson body) {
    SkillRequest wanted = SkillRequest.of(body);
    return wanted == null
        ? Operation.nameless(Action.READ, server)
        : Operation.of(Action.READ, server, wanted.file());
  }

  /** The operation of the request {@code {method, params}} to {@code server}. */
  public static Operation described(String server, RawJson request) {
    String method = text(request, "method");
    RawJson params = request.isObject() ? request.member("params") : null;
    return method == null
        ? Operation.nameless(Action.CALL, server)
        : of(server, method, params == null ? RawJson.EMPTY_OBJECT : params);
  }

  private static Operation named(Action action, String server, RawJson params, String member) {
    String item = text(params, member);
    return item == null || item.isEmpty()
        ? Operation.nameless(action, server)
        : Operation.of(action, server, item);
  }

  private static Operation reference(String server, RawJson params) {
    RawJson ref = params.isObject() ? params.member("ref") : null;
    String type = ref == null ? null : text(ref, "type");
    if (ref == null || type == null) {
      return Operation.nameless(Action.GET, server);
    }
    return switch (type) {
      case "ref/prompt" -> named(Action.GET, server, ref, "name");
      case "ref/resource" -> named(Action.READ, server, ref, "uri");
      default -> Operation.nameless(Action.GET, server);
    };
  }

  private static @Nullable String text(RawJson of, String member) {
    RawJson value = of.isObject() ? of.member(member) : null;
    return value == null || !value.isString() ? null : value.asString();
  }
}
