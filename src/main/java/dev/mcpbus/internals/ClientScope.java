package dev.mcpbus.internals;

import io.vertx.core.internal.CloseFuture;
import io.vertx.core.internal.ContextInternal;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/**
 * Vert.x keeps a client in the scope of the context that it was built on until that scope ends,
 * closed or not; on the owner's context every session would leave one behind. So a client that
 * belongs to one channel gets a scope of its own.
 */
public final class ClientScope {

  private ClientScope() {}

  /**
   * Builds a client on the event loop of {@code context}; to be called there. From then on nothing
   * but the caller keeps it.
   */
  public static <T> T build(OwnContext context, Supplier<T> client) {
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
