package dev.mcpbus;

import io.vertx.core.Deployable;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** The verticles of one part of the tree, newest first. Any thread may call, one at a time. */
final class Deployments {

  private final Vertx vertx;
  private final Deque<String> ids = new ArrayDeque<>();

  Deployments(Vertx vertx) {
    this.vertx = vertx;
  }

  Future<Void> add(Deployable verticle) {
    return vertx.deployVerticle(verticle).onSuccess(ids::push).mapEmpty();
  }

  /** Deploys them one after the other. */
  Future<Void> add(List<? extends Deployable> verticles) {
    Future<Void> all = Future.succeededFuture();
    for (Deployable verticle : verticles) {
      all = all.compose(next -> add(verticle));
    }
    return all;
  }

  /** Undeploys all at the same time. */
  Future<?> closeTogether() {
    List<Future<Void>> ending = ids.stream().map(vertx::undeploy).toList();
    ids.clear();
    return Future.join(ending);
  }

  /** Undeploys the newest, then the one before it, and so on. */
  Future<Void> closeInReverse() {
    String last = ids.poll();
    return last == null
        ? Future.succeededFuture()
        : vertx.undeploy(last).transform(undeployed -> closeInReverse());
  }
}
