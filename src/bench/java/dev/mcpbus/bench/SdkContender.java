package dev.mcpbus.bench;

import io.modelcontextprotocol.client.McpAsyncClient;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.client.transport.ServerParameters;
import io.modelcontextprotocol.client.transport.StdioClientTransport;
import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpSchema;
import java.net.URI;
import java.time.Duration;

/** The asynchronous client of the MCP SDK, called directly. */
final class SdkContender implements Contender {

  private static final McpSchema.CallToolRequest REQUEST =
      McpSchema.CallToolRequest.builder("echo").arguments(Payload.ARGUMENTS).build();

  private final McpAsyncClient client;

  private SdkContender(McpClientTransport transport) {
    client = McpClient.async(transport).requestTimeout(Duration.ofSeconds(20)).build();
  }

  static SdkContender stdio(String command) {
    return new SdkContender(
        new StdioClientTransport(
            ServerParameters.builder(command).build(), McpJsonDefaults.getMapper()));
  }

  static SdkContender http(URI url) {
    String origin = "http://" + url.getRawAuthority();
    return new SdkContender(
        HttpClientStreamableHttpTransport.builder(origin).endpoint(url.getPath()).build());
  }

  @Override
  public void open() {
    client.initialize().block(Duration.ofSeconds(20));
  }

  @Override
  public void execute(Runnable task) {
    task.run();
  }

  @Override
  public void call(Reply reply) {
    var result = client.callTool(REQUEST);
    // Its stdio transport refuses messages that two threads send at the same moment.
    synchronized (this) {
      result.subscribe(
          answer ->
              reply.ended(
                  Boolean.TRUE.equals(answer.isError())
                      ? new IllegalStateException("not the answer that was expected")
                      : null),
          reply::ended);
    }
  }
}
