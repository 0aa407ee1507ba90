package dev.mcpbus.cluster;

import dev.mcpbus.cluster.membership.Ballot;
import dev.mcpbus.internals.PrivateFile;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file {@code vote.json} of a state directory: the {@link Ballot} of this node, which must not
 * forget what it has said. The file belongs to one node, and must never be copied to another. Any
 * thread may call; reads and writes on worker threads.
 */
final class VoteFile {

  private static final Logger LOG = LoggerFactory.getLogger(VoteFile.class);
  private static final int MAX_BYTES = 1 << 20;

  private final Vertx vertx;
  private final @Nullable PrivateFile file;
  private volatile boolean failing;

  private VoteFile(Vertx vertx, @Nullable PrivateFile file) {
    this.vertx = vertx;
    this.file = file;
  }

  /**
   * @param folder null where this node has none: its vote ends with its process
   */
  static VoteFile in(Vertx vertx, @Nullable Path folder) {
    return new VoteFile(vertx, folder == null ? null : PrivateFile.of(folder.resolve("vote.json")));
  }

  /** Null where there is none. Fails where it cannot be read: a node must not vote anew then. */
  Future<@Nullable Ballot> read() {
    PrivateFile from = file;
    return from == null ? Future.succeededFuture() : vertx.executeBlocking(() -> read(from), false);
  }

  private static @Nullable Ballot read(PrivateFile from) throws IOException {
    try {
      if (Files.size(from.path()) > MAX_BYTES) {
        throw new IOException("it is longer than " + MAX_BYTES + " bytes");
      }
      return Ballot.of(new JsonObject(Files.readString(from.path())));
    } catch (NoSuchFileException none) {
      return null;
    } catch (IOException | RuntimeException e) {
      throw new IOException(
          from.path()
              + " cannot be read ("
              + (e instanceof IOException ? e.getMessage() : "it is empty, torn or no vote")
              + "): it has this node's vote in the cluster. Mend it; or, if the other nodes of the"
              + " cluster run, remove it, and they give this node a new vote",
          e);
    }
  }

  /** Forgets the vote: with a fixed number as quorum it has no meaning any more. */
  Future<Void> remove() {
    PrivateFile old = file;
    return old == null
        ? Future.succeededFuture()
        : vertx.executeBlocking(
            () -> {
              Files.deleteIfExists(old.path());
              return null;
            },
            false);
  }

  /** Succeeds when the ballot is on the disk. */
  Future<Void> write(Ballot ballot) {
    PrivateFile to = file;
    if (to == null) {
      return Future.succeededFuture();
    }
    byte[] content = ballot.toJson().encode().getBytes(StandardCharsets.UTF_8);
    return vertx
        .<Void>executeBlocking(
            () -> {
              to.replace(content);
              return null;
            },
            false)
        .onSuccess(written -> failing = false)
        .onFailure(
            cause -> {
              if (!failing) {
                LOG.error(
                    "{} cannot be written ({}): the quorum does not follow the cluster until it can;"
                        + " is the disk full?",
                    to.path(),
                    cause.getMessage());
              }
              failing = true;
            });
  }
}
