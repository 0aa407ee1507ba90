package dev.mcpbus.supervisor;

import io.vertx.core.Deployable;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * How a supervisor starts, restarts and stops one child (OTP child specification).
 *
 * @param id name of the child; its control address is {@code mcp.<id>.control}
 * @param label the name of its server, also in the log; several children may have the same
 * @param verticle makes a fresh instance for every deployment
 * @param policy when and how it is restarted
 * @param lazy true where the first session starts only when the child sends {@code StartWanted}
 * @param awaited true where a caller waits for the first session
 * @param drain how long calls in flight may take when a session is stopped; default 5 s
 * @param shutdown how long undeployment may take; after that the supervisor logs a warning and goes
 *     on; default 10 s
 * @param epochBase the child's epochs are higher than this; default 0
 */
public record ChildSpec(
    String id,
    String label,
    Supplier<? extends Deployable> verticle,
    RestartPolicy policy,
    boolean lazy,
    boolean awaited,
    Duration drain,
    Duration shutdown,
    long epochBase) {}
