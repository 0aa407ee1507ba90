package dev.mcpbus.testing;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;

/**
 * A collector of traces: takes OTLP over HTTP as protobuf, and reads it by the numbers of {@code
 * opentelemetry/proto/trace/v1/trace.proto}. Shares nothing with the library that sends.
 */
public final class OtlpReceiver implements AutoCloseable {

  /**
   * One span.
   *
   * @param kind 2 for SERVER, 3 for CLIENT
   * @param status 2 for an error
   * @param links trace and span ids
   */
  public record SpanData(
      String service,
      String traceId,
      String spanId,
      String parentId,
      String traceState,
      String name,
      int kind,
      int status,
      String statusText,
      long nanos,
      Map<String, String> attributes,
      List<String> links) {}

  private final HttpServer server;
  private final List<SpanData> spans = new CopyOnWriteArrayList<>();

  private OtlpReceiver(HttpServer server) {
    this.server = server;
    server.createContext("/v1/traces", this::take);
    server.start();
  }

  public static OtlpReceiver start() {
    try {
      return new OtlpReceiver(
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  public String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  public List<SpanData> spans() {
    return spans;
  }

  private void take(HttpExchange exchange) throws IOException {
    request(exchange.getRequestBody().readAllBytes());
    exchange.getResponseHeaders().add("Content-Type", "application/x-protobuf");
    exchange.sendResponseHeaders(200, -1);
    exchange.close();
  }

  private void request(byte[] body) {
    fields(
        body,
        (field, resourceSpans) -> {
          Map<String, String> resource = new LinkedHashMap<>();
          fields(
              (byte[]) resourceSpans,
              (number, value) -> {
                if (number == 1) {
                  fields((byte[]) value, (n, attribute) -> put(resource, n == 1, attribute));
                } else if (number == 2) {
                  String service = resource.getOrDefault("service.name", "");
                  fields(
                      (byte[]) value,
                      (n, span) -> {
                        if (n == 2) {
                          spans.add(span(service, (byte[]) span));
                        }
                      });
                }
              });
        });
  }

  private static SpanData span(String service, byte[] bytes) {
    Map<Integer, Object> one = new LinkedHashMap<>();
    Map<String, String> attributes = new LinkedHashMap<>();
    List<String> links = new ArrayList<>();
    int[] status = new int[1];
    String[] text = {""};
    fields(
        bytes,
        (number, value) -> {
          switch (number) {
            case 9 -> put(attributes, true, value);
            case 13 -> links.add(link((byte[]) value));
            case 15 ->
                fields(
                    (byte[]) value,
                    (n, part) -> {
                      if (n == 3) {
                        status[0] = ((Long) part).intValue();
                      } else if (n == 2) {
                        text[0] = text(part);
                      }
                    });
            default -> one.put(number, value);
          }
        });
    return new SpanData(
        service,
        hex(one.get(1)),
        hex(one.get(2)),
        hex(one.get(4)),
        text(one.get(3)),
        text(one.get(5)),
        ((Long) one.getOrDefault(6, 0L)).intValue(),
        status[0],
        text[0],
        (Long) one.getOrDefault(8, 0L) - (Long) one.getOrDefault(7, 0L),
        attributes,
        links);
  }

  private static String link(byte[] bytes) {
    Map<Integer, Object> ids = new LinkedHashMap<>();
    fields(bytes, ids::put);
    return hex(ids.get(1)) + "-" + hex(ids.get(2));
  }

  /** {@code KeyValue}: a key, and a value that is a text or a whole number. */
  private static void put(Map<String, String> into, boolean wanted, Object keyValue) {
    if (!wanted) {
      return;
    }
    String[] pair = {"", ""};
    fields(
        (byte[]) keyValue,
        (number, part) -> {
          if (number == 1) {
            pair[0] = text(part);
          } else {
            fields((byte[]) part, (kind, v) -> pair[1] = kind == 1 ? text(v) : String.valueOf(v));
          }
        });
    into.put(pair[0], pair[1]);
  }

  private static String hex(@org.jspecify.annotations.Nullable Object bytes) {
    return bytes == null ? "" : HexFormat.of().formatHex((byte[]) bytes);
  }

  private static String text(@org.jspecify.annotations.Nullable Object bytes) {
    return bytes == null ? "" : new String((byte[]) bytes, StandardCharsets.UTF_8);
  }

  /** The fields of one protobuf message: {@code Long} for numbers, {@code byte[]} for the rest. */
  private static void fields(byte[] message, BiConsumer<Integer, Object> each) {
    ByteBuffer in = ByteBuffer.wrap(message).order(ByteOrder.LITTLE_ENDIAN);
    while (in.hasRemaining()) {
      long key = varint(in);
      int number = (int) (key >>> 3);
      switch ((int) key & 7) {
        case 0 -> each.accept(number, varint(in));
        case 1 -> each.accept(number, in.getLong());
        case 2 -> {
          byte[] part = new byte[(int) varint(in)];
          in.get(part);
          each.accept(number, part);
        }
        case 5 -> each.accept(number, (long) in.getInt());
        default -> throw new AssertionError("no protobuf: key " + key);
      }
    }
  }

  private static long varint(ByteBuffer in) {
    long value = 0;
    for (int shift = 0; ; shift += 7) {
      byte next = in.get();
      value |= (long) (next & 0x7f) << shift;
      if (next >= 0) {
        return value;
      }
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
