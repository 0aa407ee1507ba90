package dev.mcpbus.testing;

import dev.mcpbus.demo.DemoProcess;
import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.protocol.ProtocolException;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.transport.Acceptor;
import dev.mcpbus.transport.Channel;
import dev.mcpbus.transport.OutboundMessage;
import dev.mcpbus.transport.TransportException;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * An MCP server whose every answer is valid JSON that a parser would not write again as it was: odd
 * order, blanks, escapes and numbers. The same over stdio, HTTP and the bus.
 *
 * <p>Tools: {@code odd} gives {@link #RESULT}; {@code mirror} gives its own params under {@code
 * received}; {@code progress} and {@code updated} first send a notification with {@link #NOTIFIED}.
 */
public final class OddServer {

  public static final String RESULT =
      "{ \"z\" : 1 ,\"content\":[{\"type\":\"text\",\"text\":\"\\u0041\\/\u00e9\ud83d\ude00"
          + "\\ud83d\\ude00\\u2028\u2028\",\"unknown\":{\"b\":1,\"a\":[ ]}}],\t\"big\":"
          + "1234567890123456789012345678901234567890,\"huge\":1.00e400,\"tiny\":0.10,"
          + "\"exp\":1E+2,\"negative\":-0.0,\"_meta\":{\"x.y/z\":null,\"n\":0.10},"
          + "\"k\\u0065y\":true,\"\" : \"empty\" ,\"isError\":false  }";

  /** Members of a notification's params, after those that its method asks for. */
  public static final String NOTIFIED =
      "\"total\":1234567890123456789012345678901234567890,\"unknown\" :{\"b\":0.10,\"a\":null},"
          + "\"_meta\":{\"k\":\"\\u0041\"}";

  public static final String URI = "odd://one";

  public static final List<String> TOOLS =
      List.of(
          tool("odd", " ,\"_meta\":{\"n\" : 0.10}"),
          tool("mirror", ",\"x\":1234567890123456789012345678901234567890"),
          tool("progress", ",\"title\":\"\\u0041\\/\""),
          tool("updated", ",\"annotations\":{ \"b\":1.00e400,\"a\":[ ] }\t"));

  public static final List<String> RESOURCES =
      List.of(
          "{\"uri\":\"" + URI + "\" , \"name\":\"\\u0041\",\"size\":0.10}",
          "{\"name\":\"two\",\"uri\":\"odd://two\",\"_meta\":{ }}",
          "{\"uri\":\"odd:\\/\\/three\",\"name\":\"three\",\"n\":1E+2}");

  private static final String INITIALIZED =
      "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{},\"resources\":"
          + "{\"subscribe\":true}},\"serverInfo\":{\"name\":\"odd\",\"version\":\"1\"}}";

  private OddServer() {}

  private static String tool(String name, String more) {
    return "{ \"inputSchema\" : {\"type\":\"object\"},\"name\":\"" + name + "\"" + more + "}";
  }

  /** Over stdio, as a process of its own. */
  public static void main(String[] args) throws IOException {
    PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      answer(line.getBytes(StandardCharsets.UTF_8)).forEach(message -> out.print(message + "\n"));
      out.flush();
    }
  }

  /** An entry that runs {@link #main}. */
  public static JsonObject stdio() {
    JsonArray args =
        new JsonArray()
            .add("-XX:TieredStopAtLevel=1")
            .add("-XX:+UseSerialGC")
            .add("-cp")
            .add(System.getProperty("java.class.path"))
            .add(OddServer.class.getName());
    return new JsonObject().put("command", DemoProcess.java()).put("args", args);
  }

  /**
   * Over HTTP with JSON where one message is the answer, else, and at {@code /stream}, with SSE.
   */
  public static void http(HttpServerRequest request) {
    request.body().onSuccess(body -> http(request, answer(body.getBytes())));
  }

  private static void http(HttpServerRequest request, List<String> messages) {
    if (messages.isEmpty()) {
      request.response().setStatusCode(202).end();
    } else if (messages.size() == 1 && !request.path().equals("/stream")) {
      request
          .response()
          .putHeader("Content-Type", "application/json")
          .end(Buffer.buffer(" \r\n" + messages.get(0) + "\n"));
    } else {
      StringBuilder events = new StringBuilder();
      messages.forEach(message -> events.append("data: ").append(message).append("\n\n"));
      request.response().putHeader("Content-Type", "text/event-stream").end(events.toString());
    }
  }

  /** Over the bus. */
  public static Acceptor bus() {
    return client ->
        new Channel.Receiver() {
          @Override
          public void onMessage(Envelope message) {
            RawJson text = message.text();
            for (String out : answer(text.toString().getBytes(StandardCharsets.UTF_8))) {
              try {
                byte[] bytes = out.getBytes(StandardCharsets.UTF_8);
                client.send(OutboundMessage.response(Envelope.Kind.RESULT, bytes));
              } catch (TransportException e) {
                throw new IllegalStateException(e);
              }
            }
          }

          @Override
          public void onRequestFailed(long id, TransportException reason) {}

          @Override
          public void onClosed(TransportException reason) {}
        };
  }

  private static List<String> answer(byte[] bytes) {
    Envelope message;
    try {
      message = Envelope.parse(bytes, 0, bytes.length, ParseLimits.DEFAULT);
    } catch (ProtocolException e) {
      throw new IllegalArgumentException(e);
    }
    RawJson id = message.id();
    if (id == null) {
      return List.of();
    }
    RawJson params = message.params();
    String cursor = String.valueOf(params.member("cursor"));
    return switch (message.method()) {
      case "initialize" -> List.of(result(id, INITIALIZED));
      case "tools/list" -> List.of(result(id, page("tools", TOOLS, cursor)));
      case "resources/list" -> List.of(result(id, page("resources", RESOURCES, cursor)));
      case "tools/call" -> call(id, params);
      default -> List.of(result(id, RESULT));
    };
  }

  private static List<String> call(RawJson id, RawJson params) {
    String odd = result(id, RESULT);
    return switch (String.valueOf(params.member("name"))) {
      case "\"mirror\"" -> List.of(result(id, mirrored(params.toString())));
      case "\"progress\"" -> {
        RawJson meta = params.member("_meta");
        String token = String.valueOf(meta == null ? null : meta.member("progressToken"));
        String first = "\"progress\":0.10,\"progressToken\":" + token;
        yield List.of(notification("progress", first), odd);
      }
      case "\"updated\"" ->
          List.of(notification("resources/updated", "\"uri\":\"" + URI + "\""), odd);
      default -> List.of(odd);
    };
  }

  /** What {@code mirror} answers to {@code params}. */
  public static String mirrored(String params) {
    return "{\"received\" : " + params + ",\"content\":[]}";
  }

  /** Three pages: all but the last item, the last, none. */
  private static String page(String key, List<String> items, String cursor) {
    int last = items.size() - 1;
    String array = "[ " + String.join(" ,\t", items.subList(0, last)) + "]";
    return switch (cursor) {
      case "null" -> "{\"extra\":0.10,\"" + key + "\" :" + array + ",\"nextCursor\":\"p\\u0032\"}";
      case "\"p\\u0032\"", "\"p2\"" ->
          "{\"nextCursor\":\"p3\",\"" + key + "\":[" + items.get(last) + " ]}";
      default -> "{\"" + key + "\":[ ]}";
    };
  }

  private static String result(RawJson id, String result) {
    return "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"result\":" + result + "}";
  }

  private static String notification(String method, String first) {
    return "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
        + method
        + "\",\"params\":{"
        + first
        + ","
        + NOTIFIED
        + "}}";
  }
}
