package dev.mcpbus.testing;

import dev.mcpbus.bus.CallerFacts;
import dev.mcpbus.bus.SealedTaskIds;
import dev.mcpbus.directory.Directory;
import dev.mcpbus.security.AccessControl;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.security.Principal;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.function.BiFunction;

/** A service that requires no login: its access control, and a directory without views. */
public final class OpenAccess {

  /** No header of a request counts. */
  public static final BiFunction<Principal, MultiMap, CallerFacts> CALLERS =
      (principal, request) -> new CallerFacts(principal.name());

  private OpenAccess() {}

  /** Writes no audit log. */
  public static AccessControl control() {
    return new AccessControl(
        AuthOptions.NONE, InstantSource.system(), System::nanoTime, new SecureRandom(), () -> 0);
  }

  public static Directory directory(Vertx vertx) {
    return new Directory(Map.of(), control(), SealedTaskIds.of(vertx), null, Duration.ZERO);
  }
}
