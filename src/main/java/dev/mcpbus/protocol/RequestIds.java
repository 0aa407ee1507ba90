package dev.mcpbus.protocol;

import java.util.function.ToLongFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The ids of requests inside the params of messages that MCP does not define: {@code
 * _meta."io.modelcontextprotocol/subscriptionId"} and {@code requestId} are JSON-RPC ids, {@code
 * progressToken} and {@code _meta.progressToken} are tokens. Each side of a gateway has its own
 * ids, so the gateway translates these, and nothing else. Stateless.
 */
public final class RequestIds {

  private static final String META = "_meta";
  private static final String REQUEST = "requestId";

  private RequestIds() {}

  /**
   * The id of the request that the members name which stand for nothing else: tokens and the
   * subscription.
   *
   * @param tokens the id of the request with that token, -1 for none
   * @return -1 where they name none
   */
  public static long named(RawJson params, ToLongFunction<@Nullable RawJson> tokens) {
    RawJson meta = params.member(META);
    long id = tokens.applyAsLong(params.member(MetaKeys.PROGRESS_TOKEN));
    if (id < 0 && meta != null) {
      id = tokens.applyAsLong(meta.member(MetaKeys.PROGRESS_TOKEN));
      return id < 0 ? number(meta.member(MetaKeys.SUBSCRIPTION_ID)) : id;
    }
    return id;
  }

  /** The number in {@code requestId}; -1 for none. */
  public static long requestId(RawJson params) {
    return number(params.member(REQUEST));
  }

  /** A request id of ours, which some servers repeat as a string; -1 for any other value. */
  public static long number(@Nullable RawJson id) {
    return id == null ? -1 : id.isString() ? RawJson.of(id.asString()).asLong() : id.asLong();
  }

  /**
   * The params with each id replaced.
   *
   * @param ids gives the other side's id, or the same object where there is none
   * @param tokens the same for progress tokens
   */
  public static RawJson replaced(
      RawJson params, UnaryOperator<RawJson> ids, UnaryOperator<RawJson> tokens) {
    RawJson all = replaced(params, REQUEST, ids);
    all = replaced(all, MetaKeys.PROGRESS_TOKEN, tokens);
    return replaced(
        all,
        META,
        meta ->
            replaced(
                replaced(meta, MetaKeys.PROGRESS_TOKEN, tokens), MetaKeys.SUBSCRIPTION_ID, ids));
  }

  /**
   * The params with the ids of one request renamed.
   *
   * @param from stands for the request, both as its id and as its token
   * @param token null where the request has none
   */
  public static RawJson renamed(RawJson params, RawJson from, RawJson id, @Nullable RawJson token) {
    return replaced(
        params,
        each -> each.equals(from) ? id : each,
        each -> token != null && each.equals(from) ? token : each);
  }

  @SuppressWarnings("ReferenceEquality") // what is not replaced is the same object
  private static RawJson replaced(RawJson object, String name, UnaryOperator<RawJson> change) {
    RawJson old = object.member(name);
    RawJson changed = old == null ? null : change.apply(old);
    return changed == null || changed == old ? object : object.with(name, changed);
  }
}
