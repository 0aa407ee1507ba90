package dev.mcpbus.internals;

import io.vertx.core.internal.CloseFuture;
import io.vertx.core.internal.ContextInternal;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/**
 * Gives a client a scope of its own. Vert.x keeps a client until the scope of the context on which
 * it was built ends, even after the client was closed; on the owner's context every session would
 * leave one client behind.
 */
public final class ClientScope {

  private ClientScope() {}

  /**
   * Builds a client on the event loop of {@code context}; to be called there. Afterwards only the
   * caller keeps the client.
   */
  public static <T> T build(InternalContext context, Supplier<T> client) {
    ContextInternal owner = context.internal();
    ContextInternal scope =
        owner
            .owner()
            .contextBuilder()
            .withEventLoop(owner.nettyEventLoop())
            .withCloseFuture(new CloseFuture())
            .build();
    AtomicReference<T> built = new AtomicReference<>();
    scope.dispatch(ignored -> built.set(client.get()));
    return Objects.requireNonNull(built.get());
  }
}
