package dev.mcpbus;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The Java code of the pages, and of the {@code pre} blocks of Javadoc, compiles. A block stands in
 * a class of its own: with imports of the packages that programs use, and with the declarations of
 * what the block takes for granted ({@link #GIVEN}).
 */
class CodeInPagesTest {

  private static final String IMPORTS =
      """
      import com.hazelcast.config.Config;
      import dev.langchain4j.service.AiServices;
      import dev.mcpbus.*;
      import dev.mcpbus.ai.*;
      import dev.mcpbus.ai.langchain4j.*;
      import dev.mcpbus.ai.spring.*;
      import dev.mcpbus.bus.*;
      import dev.mcpbus.client.*;
      import dev.mcpbus.client.sdk.*;
      import dev.mcpbus.config.*;
      import dev.mcpbus.connection.options.*;
      import dev.mcpbus.demo.*;
      import dev.mcpbus.directory.*;
      import dev.mcpbus.hosting.*;
      import dev.mcpbus.observability.metrics.*;
      import dev.mcpbus.observability.tracing.*;
      import dev.mcpbus.server.*;
      import dev.mcpbus.protocol.ProtocolVersion;
      import dev.mcpbus.supervisor.*;
      import dev.mcpbus.testing.*;
      import dev.mcpbus.testing.junit.*;
      import dev.mcpbus.transport.*;
      import dev.mcpbus.transport.bus.*;
      import dev.mcpbus.transport.memory.*;
      import dev.mcpbus.transport.sdk.*;
      import io.modelcontextprotocol.server.McpAsyncServer;
      import io.modelcontextprotocol.server.McpAsyncServerExchange;
      import io.modelcontextprotocol.server.McpServer;
      import io.modelcontextprotocol.server.McpServerFeatures.AsyncToolSpecification;
      import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
      import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
      import io.modelcontextprotocol.spec.McpSchema.ServerCapabilities;
      import io.modelcontextprotocol.spec.McpSchema.Tool;
      import io.vertx.core.*;
      import io.vertx.core.eventbus.*;
      import io.vertx.core.json.*;
      import io.vertx.junit5.*;
      import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;
      import java.nio.file.Path;
      import java.time.Duration;
      import java.util.*;
      import java.util.function.BiFunction;
      import org.junit.jupiter.api.BeforeEach;
      import org.junit.jupiter.api.Test;
      import org.junit.jupiter.api.extension.ExtendWith;
      import org.springframework.ai.chat.client.ChatClient;
      import org.springframework.ai.tool.ToolCallbackProvider;
      import org.springframework.context.annotation.Bean;
      import reactor.core.publisher.Mono;
      """;

  /** What blocks use and do not declare. */
  private static final String GIVEN =
      """
      interface Assistant {}
      interface Index { Future<Boolean> rebuild(); }
      static class CarrierPigeons implements Transport {
        CarrierPigeons(Vertx vertx, String loft) {}
        public String type() { return ""; }
        public String target() { return ""; }
        public Future<Channel> open(Context owner, Channel.Receiver receiver) { return null; }
      }
      org.slf4j.Logger LOG;
      Vertx vertx; Context context; McpBus bus; ConnectionId id; DeliveryOptions options;
      List<ServerDefinition> servers; McpClient client;
      RawServer server; JsonObject schema; JsonObject config; Index index; Set<String> admins;
      MetaTools.ToolScope scope; String name; JsonObject arguments; JsonObject toolUseBlock;
      io.micrometer.core.instrument.MeterRegistry registry;
      io.opentelemetry.api.OpenTelemetry openTelemetry;
      dev.langchain4j.model.chat.ChatModel model;
      org.springframework.ai.chat.model.ChatModel chatModel;
      List<AsyncToolSpecification> tools; Tool tool;
      BiFunction<McpAsyncServerExchange, CallToolRequest, Mono<CallToolResult>> handler;
      Future<JsonObject> drop(ServerRequest request, JsonObject arguments) { return null; }
      void show(Object content) {}
      Future<JsonObject> fill(String message, JsonObject form) { return Future.succeededFuture(); }
      void report(FailureCode code) {}
      """;

  private static final Pattern PAGE_BLOCK = Pattern.compile("(?ms)^```java\\n(.*?)^```$");
  private static final Pattern JAVADOC_BLOCK =
      Pattern.compile("(?s)<pre>\\{@code\\n(.*?)\\n *\\* *\\}</pre>");

  @Test
  void every_block_of_java_in_pages_and_javadoc_compiles(@TempDir Path classes) throws IOException {
    List<JavaFileObject> blocks = new ArrayList<>();
    for (Path page : ClassNamesInPagesTest.pages()) {
      collect(page, PAGE_BLOCK.matcher(Files.readString(page)).results(), blocks);
    }
    assertThat(blocks).hasSizeGreaterThan(8);
    try (Stream<Path> files = Files.walk(Path.of("src/main/java"))) {
      for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
        collect(file, JAVADOC_BLOCK.matcher(Files.readString(file)).results(), blocks);
      }
    }
    assertThat(blocks).hasSizeGreaterThan(13);
    JavaCompiler compiler = requireNonNull(ToolProvider.getSystemJavaCompiler());
    StringWriter mistakes = new StringWriter();
    List<String> options =
        List.of(
            "-proc:none",
            "-nowarn",
            "-classpath",
            System.getProperty("java.class.path"),
            "-d",
            classes.toString());
    boolean compiled = compiler.getTask(mistakes, null, null, options, null, blocks).call();
    assertThat(compiled).as(mistakes.toString()).isTrue();
  }

  private static void collect(Path file, Stream<MatchResult> found, List<JavaFileObject> blocks) {
    String name = file.getFileName().toString();
    found.forEach(
        block -> {
          String code = block.group(1).replaceAll("(?m)^ +\\* ?", "");
          String type = name.replaceAll("\\W", "_") + "_" + blocks.size();
          blocks.add(new Block(type, framed(type, code)));
        });
  }

  /** Declarations become members of the class; anything else is the body of a method. */
  private static String framed(String type, String code) {
    boolean isDeclaration = code.startsWith("public ") || code.startsWith("@");
    String closed = code.stripTrailing().matches("(?s).*[;}]( *//.*)?") ? code : code + ";";
    String member = isDeclaration ? code : "void block() throws Exception {\n" + closed + "\n}";
    return IMPORTS + "class " + type + " {\n" + GIVEN + member + "\n}\n";
  }

  /** A source that the compiler reads from memory. */
  private static final class Block extends SimpleJavaFileObject {

    private final String code;

    Block(String type, String code) {
      super(URI.create("string:///" + type + ".java"), Kind.SOURCE);
      this.code = code;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return code;
    }
  }
}
