package dev.mcpbus.cli;

import dev.mcpbus.bus.FailureCode;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The login of the caller itself at a server of callers: what {@code login --as me} does. The link
 * is for the principal of the key with which the command comes; the page asks for that key. For the
 * main thread.
 *
 * @param path of the server at mcpbus
 * @param shows gets each link, and until when it is good
 */
record CallerLoginSteps(ServiceClient client, String path, BiConsumer<String, Instant> shows) {

  /** One call waits so long for the person; then the next one does. */
  private static final Duration ROUND = Duration.ofSeconds(20);

  private static final String LINK = "login";

  /**
   * Waits until the caller is logged in.
   *
   * @return false if that was so before
   * @throws CommandFailure if the server cannot be called for another reason, or the time is over
   */
  boolean run() {
    JsonObject wanted = ping(Map.of());
    if (wanted == null) {
      return false;
    }
    String shown = "";
    Instant until = Instant.now().plus(ROUND);
    while (wanted != null) {
      String link = ContentText.text(wanted, LINK);
      if (!link.isEmpty() && !link.equals(shown)) {
        if (!shown.isEmpty()) {
          throw over();
        }
        shown = link;
        Instant end = TimeText.instant(wanted.getValue("until"));
        until = end == null ? until : end;
        shows.accept(link, until);
      }
      if (!Instant.now().isBefore(until)) {
        throw over();
      }
      wanted = ping(Map.of("Wait-Login", "true", "Timeout", Long.toString(ROUND.toMillis())));
    }
    return true;
  }

  private static CommandFailure over() {
    return new CommandFailure(
        ExitCode.NOT_ALLOWED, "LOGIN_TIMEOUT", "no login in time, or it was refused; try again");
  }

  /**
   * Whether the server knows the caller.
   *
   * @return null if it does; else the members of the failure, with the link
   */
  private @Nullable JsonObject ping(Map<String, String> headers) {
    try {
      client.send("POST", path + "/ping", new JsonObject(), headers, ROUND.multipliedBy(3));
      return null;
    } catch (CommandFailure failure) {
      JsonObject error = failure.toJson().getJsonObject("error");
      if (failure.code().equals(FailureCode.CALL_TIMEOUT.name()) && !headers.isEmpty()) {
        return new JsonObject();
      }
      if (!failure.code().equals(FailureCode.AUTH_REQUIRED.name()) || !error.containsKey(LINK)) {
        throw failure;
      }
      return error;
    }
  }
}
