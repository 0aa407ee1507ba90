package dev.mcpbus.bench;

import dev.mcpbus.transport.HttpOptions;
import dev.mcpbus.transport.StdioOptions;
import java.io.IOException;
import java.net.URI;
import java.util.List;

/** The contenders: what each is called, how its JVM is started, how it is made. */
public enum Kind {
  STDIO_BUS("stdio: bus, Buffer"),
  STDIO_BUS_JSON("stdio: bus, JsonObject"),
  STDIO_BUS_MODERN("stdio: bus, Buffer, 2026-07-28"),
  STDIO_SDK("stdio: SDK async client"),
  STDIO_PIPES("stdio: raw pipes"),
  HTTP_BUS("http: bus, Buffer"),
  HTTP_BUS_ONE_LOOP("http: bus, Buffer, one event loop"),
  HTTP_BUS_JSON("http: bus, JsonObject"),
  HTTP_BUS_MODERN("http: bus, Buffer, 2026-07-28"),
  HTTP_SDK("http: SDK async client, parallelism=2"),
  HTTP_SDK_DEFAULT("http: SDK async client, JVM defaults"),
  HTTP_VERTX("http: bare Vert.x HttpClient"),
  HTTP_BUS_AMONG("http: bus, Buffer, one among 1,000"),
  HTTP_BUS_MANY("http: bus, Buffer, spread over 1,000"),
  HTTP_BUS_STREAMS("http: 1,000 with a GET stream");

  static final int MANY = 1_000;

  final String label;

  Kind(String label) {
    this.label = label;
  }

  boolean isHttp() {
    return name().startsWith("HTTP");
  }

  boolean isHttpSdk() {
    return this == HTTP_SDK || this == HTTP_SDK_DEFAULT;
  }

  boolean hasMany() {
    return this == HTTP_BUS_AMONG || this == HTTP_BUS_MANY || isOnlyWeighed();
  }

  /** Gets no calls. */
  boolean isOnlyWeighed() {
    return this == HTTP_BUS_STREAMS;
  }

  /** Flags that this contender has beyond those of all. */
  List<String> flags() {
    return this == HTTP_SDK
        ? List.of("-Djava.util.concurrent.ForkJoinPool.common.parallelism=2")
        : List.of();
  }

  /**
   * Not connected yet.
   *
   * @param target the URL, or the program, of the server
   * @param many connections of those that have many
   */
  public Contender create(String target, int many) throws IOException {
    return switch (this) {
      case STDIO_BUS -> new BusContender(stdio(target));
      case STDIO_BUS_MODERN -> new BusContender(stdio(target).modern());
      case STDIO_BUS_JSON -> new BusContender(stdio(target).json());
      case STDIO_SDK -> SdkContender.stdio(target);
      case STDIO_PIPES -> new PipeContender(target);
      case HTTP_BUS -> new BusContender(http(target));
      case HTTP_BUS_MODERN -> new BusContender(http(target).modern());
      case HTTP_BUS_ONE_LOOP -> new BusContender(http(target).onOneLoop());
      case HTTP_BUS_JSON -> new BusContender(http(target).json());
      case HTTP_BUS_AMONG -> new BusContender(http(target).many(many, 1));
      case HTTP_BUS_MANY -> new BusContender(http(target).many(many, many));
      case HTTP_BUS_STREAMS ->
          new BusContender(http(URI.create(target).resolve("/stream").toString()).many(many, many));
      case HTTP_SDK, HTTP_SDK_DEFAULT -> SdkContender.http(URI.create(target));
      case HTTP_VERTX -> new VertxHttpContender(URI.create(target));
    };
  }

  private static BusSetting stdio(String program) {
    return BusSetting.of(StdioOptions.of(program, List.of()));
  }

  private static BusSetting http(String url) {
    return BusSetting.of(HttpOptions.of(URI.create(url)));
  }
}
