package dev.mcpbus.soak;

import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Where everything is.
 *
 * @param jar of the service under test
 * @param out folder of logs and figures
 * @param echo program of the stdio servers
 */
record SoakSetting(Path jar, Path out, Path echo) {

  /** A service that runs, with the clients and servers around it. */
  static final class Running implements AutoCloseable {
    final SoakedService service;
    final FixtureServers fixtures;
    final CallLedger ledger;
    final Lanes lanes;
    final McpChurn mcp;
    final SocketChurn sockets;
    final List<ChurnKind> kinds = new ArrayList<>();

    private Running(Vertx vertx, SoakSetting setting, String name, boolean tls) {
      ledger = new CallLedger();
      fixtures = new FixtureServers(vertx, ledger);
      int port = fixtures.listen().toCompletionStage().toCompletableFuture().join();
      SoakBed bed = new SoakBed(setting.out().resolve(name), setting.echo(), tls, port);
      service = SoakedService.start(bed, setting.jar());
      LoadClient client = new LoadClient(vertx, service.port(), tls, bed.caller());
      LoadClient admin = new LoadClient(vertx, service.port(), tls, bed.admin());
      lanes = new Lanes(vertx, ledger);
      mcp = new McpChurn(client, ledger);
      sockets = new SocketChurn(admin);
      kinds.addAll(mcp.kinds());
      kinds.addAll(sockets.kinds());
      kinds.addAll(new DoorChurn(client, bed).kinds());
      kinds.addAll(new ServerChurn(client, service).kinds());
    }

    /** Those, and one that does leave something behind, to see that it is found. */
    List<ChurnKind> all() {
      List<ChurnKind> all = new ArrayList<>(kinds);
      all.add(sockets.leaving());
      return all;
    }

    @Override
    public void close() {
      service.close();
    }
  }

  Running start(Vertx vertx, String name, boolean tls) {
    return new Running(vertx, this, name, tls);
  }
}
