package dev.mcpbus.policy;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.security.Audit;
import dev.mcpbus.security.AuditRefusedException;
import io.vertx.core.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Sends calls whose beginnings are in the audit log, where {@code auth.audit.onFailure} is {@code
 * refuse}; elsewhere it sends them at once. Any thread may call.
 */
public final class RecordedCalls {

  /** How long a call waits for a slow disk. */
  private static final long WAIT_MILLIS = 5_000;

  private static final long RETRY_AFTER_MILLIS = 1_000;

  private RecordedCalls() {}

  /**
   * Sends a call once its line is on the disk.
   *
   * @param begin writes the line, as {@link Audit#begin} does
   * @return what {@code send} returns; fails with {@code UNAVAILABLE}, not sent, if the line cannot
   *     be written within five seconds. Completes on the caller's context
   */
  public static <T> Future<T> after(
      Audit audit, Supplier<Future<Void>> begin, Supplier<Future<T>> send) {
    if (!audit.precedesCalls()) {
      return send.get();
    }
    return begin
        .get()
        .timeout(WAIT_MILLIS, TimeUnit.MILLISECONDS)
        .transform(
            line -> line.succeeded() ? send.get() : Future.failedFuture(refused(line.cause())));
  }

  private static McpFailure refused(Throwable why) {
    return refused(
        why instanceof AuditRefusedException known
            ? String.valueOf(known.getMessage())
            : "its disk does not answer");
  }

  /**
   * The failure of what may not begin while the audit log cannot be written.
   *
   * @param problem why it cannot
   */
  public static McpFailure refused(String problem) {
    return new McpFailure(
        FailureCode.UNAVAILABLE,
        McpFailure.Sent.NO,
        "the audit log of mcpbus cannot be written ("
            + problem
            + "), and auth.audit.onFailure lets no call through without its line: mend the disk of"
            + " the audit file, then repeat the call",
        RETRY_AFTER_MILLIS,
        null);
  }
}
