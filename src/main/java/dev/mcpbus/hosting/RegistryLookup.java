package dev.mcpbus.hosting;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.security.oauth.GuardedHttp;
import dev.mcpbus.security.oauth.HostResolver;
import dev.mcpbus.security.oauth.UrlGuard;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.net.URI;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Asks the MCP registry that the configuration names for the {@code server.json} of a server's name
 * (API of registries, 2025-12-01: {@code GET /v0.1/servers/{name}/versions/{version}}). It connects
 * to no other host, follows no redirect, and takes 256 KiB and 10 s at most. Used on the context of
 * the {@link ServersVerticle}.
 */
final class RegistryLookup {

  /** {@code io.github.ada/weather}, with a version behind {@code @} if it is not the latest. */
  private static final Pattern NAME =
      Pattern.compile(
          "([A-Za-z0-9-]{1,63}(?:\\.[A-Za-z0-9-]{1,63}){1,8}/[A-Za-z0-9._-]{1,100})"
              + "(?:@([A-Za-z0-9._+-]{1,100}))?");

  private static final String WHAT = "the registry's entry";

  private final @Nullable URI registry;
  private final GuardedHttp http;
  private final UrlGuard guard;

  /**
   * @param registry the base of its API, from the configuration; null if it names none
   */
  RegistryLookup(Vertx vertx, @Nullable URI registry) {
    this.registry = registry;
    this.http = new GuardedHttp(vertx, GuardedHttp.TIMEOUT, null);
    this.guard =
        new UrlGuard(registry == null ? List.of() : List.of(registry), HostResolver.system(vertx));
  }

  /** Whether a text is a name in a registry, and nothing else. */
  static boolean isName(String text) {
    return NAME.matcher(text.strip()).matches();
  }

  /**
   * The answer of the registry as text, which the readers of files take.
   *
   * @param text for which {@link #isName} is true
   * @return fails with {@code BAD_REQUEST} if no registry is configured or has that name, with
   *     {@code UNAVAILABLE} if it does not answer
   */
  Future<String> find(String text) {
    Matcher name = NAME.matcher(text.strip());
    URI base = registry;
    if (base == null || !name.matches()) {
      return Future.failedFuture(
          McpFailure.badRequest(
              text.strip()
                  + " looks like a name of an MCP registry, and none is configured: write"
                  + " \"catalog\": {\"registry\": \"https://...\"}, or paste its server.json"));
    }
    String version = name.group(2) == null ? "latest" : name.group(2).replace("+", "%2B");
    String url =
        base.toString().replaceFirst("/$", "")
            + "/v0.1/servers/"
            + name.group(1).replace("/", "%2F")
            + "/versions/"
            + version;
    return http.get(guard, url, WHAT)
        .recover(lost -> Future.failedFuture(unavailable(base, String.valueOf(lost.getMessage()))))
        .compose(
            reply ->
                switch (reply.status()) {
                  case 200 -> Future.succeededFuture(reply.body().encode());
                  case 404 ->
                      Future.failedFuture(
                          McpFailure.badRequest(
                              "the registry at "
                                  + base.getHost()
                                  + " has no server "
                                  + text.strip()
                                  + "; look for its name there, with its namespace"));
                  default -> Future.failedFuture(unavailable(base, reply.toString()));
                });
  }

  private static McpFailure unavailable(URI base, String why) {
    return McpFailure.notSent(
        FailureCode.UNAVAILABLE, "the registry at " + base.getHost() + ": " + why);
  }
}
