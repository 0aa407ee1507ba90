package dev.mcpbus.transport.stdio;

import io.vertx.core.Vertx;
import java.nio.file.Path;

/**
 * A JVM with children of every kind, to be killed: says {@code ready} when all run. Its argument is
 * the folder of a {@link FakeDocker}.
 */
public final class HeldChildren {

  private HeldChildren() {}

  public static void main(String[] args) throws Exception {
    Vertx vertx = Vertx.vertx();
    // Deaf to the end of stdin, one with a grandchild, one with a daemon in a session of its own.
    String deaf = "trap '' HUP TERM; echo '{\"jsonrpc\":\"2.0\",\"method\":\"up\"}';";
    String loop = "while :; do sleep 1000; done";
    Peer.open(vertx, Peer.sh("exec cat"));
    Peer plain = Peer.open(vertx, Peer.sh(deaf + loop));
    Peer family = Peer.open(vertx, Peer.sh("sleep 1000 & " + deaf + loop));
    Peer daemon =
        Peer.open(vertx, Peer.sh("(setsid sh -c '" + loop + "' &) ; sleep 0.1;" + deaf + loop));
    Peer container =
        Peer.open(vertx, new FakeDocker(Path.of(args[0])).options("run", "-i", "--rm", "image"));
    Peer.await()
        .until(
            () ->
                !plain.messages.isEmpty()
                    && !family.messages.isEmpty()
                    && !daemon.messages.isEmpty()
                    && !container.messages.isEmpty());
    System.out.println("ready " + RunId.SELF);
    System.in.read();
  }
}
