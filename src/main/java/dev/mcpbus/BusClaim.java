package dev.mcpbus;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.shareddata.LocalMap;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The right to be the one {@link McpBus} of a Vert.x: every bus serves the same addresses, so two
 * would answer in turns. Any thread may call.
 */
final class BusClaim {

  private static final String KEY = "dev.mcpbus.bus";

  /** Frames that say nothing of the program; where they call from, its own come first. */
  private static final Set<String> ENTRIES =
      Set.of(BusClaim.class.getName(), McpBus.class.getName(), VerticleTree.class.getName());

  private final LocalMap<String, String> claims;
  private final AtomicBoolean held = new AtomicBoolean(true);

  private BusClaim(LocalMap<String, String> claims) {
    this.claims = claims;
  }

  /**
   * Takes the claim.
   *
   * @throws IllegalStateException where another bus has it; says who started that one, and the
   *     remedy
   */
  static BusClaim take(Vertx vertx) {
    // A text: the next holder may come from another class loader.
    LocalMap<String, String> claims = vertx.sharedData().getLocalMap(KEY);
    String holder = claims.putIfAbsent(KEY, caller());
    if (holder != null) {
      throw new IllegalStateException(
          "this Vert.x has an McpBus already, started by "
              + holder
              + ". There is one bus for each Vert.x, because every bus answers at the same"
              + " addresses: a second client is McpClient.create(vertx), a second bus needs a second"
              + " Vert.x, and McpBusVerticle one instance");
    }
    return new BusClaim(claims);
  }

  /** Gives it back; idempotent. */
  void release() {
    if (held.getAndSet(false)) {
      claims.remove(KEY);
    }
  }

  private static String caller() {
    Context context = Vertx.currentContext();
    String deployment = context == null ? null : context.deploymentID();
    String from =
        StackWalker.getInstance()
            .walk(frames -> frames.filter(BusClaim::isOfProgram).findFirst())
            .map(
                frame ->
                    frame.getClassName()
                        + "."
                        + frame.getMethodName()
                        + " (line "
                        + frame.getLineNumber()
                        + ")")
            .orElse("a handler");
    return deployment == null ? from : from + " in the deployment " + deployment;
  }

  private static boolean isOfProgram(StackWalker.StackFrame frame) {
    String name = frame.getClassName();
    return !ENTRIES.contains(name)
        && !name.startsWith("java.")
        && !name.startsWith("io.vertx.core.")
        && !name.startsWith("io.netty.");
  }
}
