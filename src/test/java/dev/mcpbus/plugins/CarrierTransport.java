package dev.mcpbus.plugins;

import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.server.RawServer;
import dev.mcpbus.server.ToolResult;
import dev.mcpbus.transport.Transport;
import dev.mcpbus.transport.TransportOptions;
import dev.mcpbus.transport.TransportProvider;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/** Servers in this process that answer with the name of their loft. */
public final class CarrierTransport implements TransportProvider {

  private record Options(String loft, Sensitive ring) implements TransportOptions {
    @Override
    public String type() {
      return "carrier";
    }

    @Override
    public Collection<Sensitive> secrets() {
      return List.of(ring);
    }
  }

  @Override
  public String type() {
    return "carrier";
  }

  @Override
  public Set<String> schemes() {
    return Set.of("carrier");
  }

  @Override
  public TransportOptions options(Settings settings) {
    String url = settings.url();
    String loft =
        url == null ? settings.options().getString("loft", "") : url.replace("carrier://", "");
    if (loft.isEmpty()) {
      throw new IllegalArgumentException("Give \"options\": {\"loft\": \"name\"}");
    }
    if (loft.equals("broken")) {
      throw new IllegalStateException("the secret is swordfish");
    }
    return new Options(loft, Sensitive.of(settings.options().getString("ring", "")));
  }

  @Override
  public Transport create(Vertx vertx, TransportOptions options) {
    String loft = ((Options) options).loft();
    return RawServer.of("carrier", "1")
        .tool(
            "where",
            "Tells the loft.",
            new JsonObject().put("type", "object"),
            (request, arguments) -> Future.succeededFuture(ToolResult.text("loft " + loft)))
        .inMemory(vertx.getOrCreateContext());
  }
}
