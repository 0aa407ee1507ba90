package dev.mcpbus.gateway.request;

import dev.mcpbus.bus.CallDeadline;
import dev.mcpbus.bus.CallHeaders;
import dev.mcpbus.bus.CallOrigin;
import dev.mcpbus.bus.Codecs;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.Requester;
import dev.mcpbus.directory.DirectoryView;
import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.TraceContext;
import dev.mcpbus.security.Principal;
import io.vertx.core.MultiMap;
import io.vertx.core.eventbus.DeliveryOptions;
import org.jspecify.annotations.Nullable;

/**
 * One request of an MCP client of either era. {@code DiscoverEndpoint} makes it for a client of the
 * {@code discover} era, {@code SessionRequests} on the session host for one of the {@code
 * initialize} era; the same class writes the answer in the form of its era. {@link RequestRouter}
 * and {@link GatewayCall} know no other form of a request. Immutable.
 *
 * @param era of the client; decides what a page of a list holds and the code for an absent resource
 * @param view what the client may see, and by which names
 * @param callId the id by which the connection names the call
 * @param reports the address for what the connection reports while the call is in flight
 * @param questions the address for what the server asks, or {@link Headers#PASS}
 * @param progress whether the client wants progress
 * @param log whether the client wants log messages of the call
 * @param takesTask whether the client accepts a task as the result
 * @param trace of the HTTP request, where the message names none itself; null for none
 * @param since when the message was read, by {@link System#nanoTime}
 * @param origin when the HTTP request arrived, and where its client waits
 */
public record GatewayRequest(
    Era era,
    Principal principal,
    DirectoryView view,
    String method,
    RawJson params,
    String callId,
    String reports,
    String questions,
    boolean progress,
    boolean log,
    boolean takesTask,
    @Nullable TraceContext trace,
    long since,
    CallOrigin origin) {

  /** How the bus knows a principal. */
  public static Requester requester(Principal principal) {
    return new Requester(principal.name(), principal.admin());
  }

  /**
   * The trace of an HTTP request that its message needs: null where the message names one in {@code
   * _meta}, which counts more (OpenTelemetry, conventions for MCP).
   */
  public static @Nullable TraceContext trace(MultiMap headers, @Nullable RawJson meta) {
    TraceContext transport = CallHeaders.trace(headers);
    return transport == null || TraceContext.isNamedBy(meta) ? null : transport;
  }

  /**
   * The options of a message to the connection that answers; new ones for each message.
   *
   * @param carried the trace that the message carries in headers; null for none
   */
  DeliveryOptions options(@Nullable TraceContext carried) {
    DeliveryOptions options =
        CallHeaders.of(callId, CallDeadline.noneOf(method), CallDeadline.Layer.CALLER)
            .setCodecName(Codecs.SHARED)
            .addHeader(Headers.INPUT, questions);
    CallHeaders.add(options, carried);
    CallHeaders.add(options, Headers.AS_IS, asIs());
    CallHeaders.add(options, Headers.TASK, takesTask ? "true" : null);
    CallHeaders.add(options, Headers.PROGRESS, progress ? reports : null);
    CallHeaders.add(options, Headers.LOG, log ? reports : null);
    CallHeaders.add(options, Headers.NOTICES, view.options().passUnknown() ? reports : null);
    origin.addTo(options);
    if (view.caller() != null) {
      view.caller().addHeaders(options);
    }
    return requester(principal).addTo(options);
  }

  /**
   * Whether the server itself refuses what it does not have. A client with bounded rights must not
   * tell that from what it is denied.
   */
  public boolean isAsIs() {
    return view.server() && view.rights().isUnbounded();
  }

  private @Nullable String asIs() {
    if (!isAsIs()) {
      return null;
    }
    return era == Era.INITIALIZE ? Headers.AS_IS_TASKS : "true";
  }

  /**
   * A member of the params that must be a string.
   *
   * @throws McpFailure with the error that the client gets
   */
  public String text(String member) {
    return text(params, member);
  }

  /**
   * A member of {@code params} that must be a string.
   *
   * @throws McpFailure with the error that the client gets
   */
  static String text(RawJson params, String member) {
    RawJson value = params.member(member);
    if (value == null || !value.isString()) {
      throw McpErrors.invalidParams("\"" + member + "\" must be a string");
    }
    return value.asString();
  }
}
