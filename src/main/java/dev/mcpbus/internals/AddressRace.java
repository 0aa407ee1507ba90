package dev.mcpbus.internals;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.internal.VertxInternal;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Connects to a host that has several addresses, of which some may not answer: {@code localhost} is
 * {@code ::1} and 127.0.0.1, and a server often listens at one of them. Vert.x tries one address
 * alone. When an attempt fails, or is silent for 250 ms, the next address is tried beside it; the
 * first connection wins (RFC 8305). A failure that shows that a server was reached, such as one of
 * TLS, ends the race. Confined to the context of its owner.
 */
public final class AddressRace<T> {

  /** The recommended delay between attempts (RFC 8305, section 5). */
  static final long PATIENCE_MILLIS = 250;

  private static final int MAX_ADDRESSES = 8;

  private final InternalContext owner;
  private final Supplier<Future<List<InetAddress>>> lookUp;
  private final Function<InetAddress, Future<T>> connect;
  private final Consumer<T> unused;
  private final Promise<T> winner;
  private @Nullable Deque<InetAddress> others;
  private @Nullable Throwable failure;
  private boolean asked;
  private boolean over;
  private int open;
  private long timer = -1;

  private AddressRace(
      InternalContext owner,
      Supplier<Future<List<InetAddress>>> lookUp,
      Function<InetAddress, Future<T>> connect,
      Consumer<T> unused) {
    this.owner = owner;
    this.lookUp = lookUp;
    this.connect = connect;
    this.unused = unused;
    this.winner = owner.promise();
  }

  /**
   * Runs a race.
   *
   * @param first the first attempt, which has begun
   * @param others the addresses that it does not try; asked for when they are needed
   * @param connect begins the attempt at an address
   * @param unused receives a connection that came too late
   * @return the first connection; the failure that says most if there is none
   */
  public static <T> Future<T> run(
      InternalContext owner,
      Future<T> first,
      Supplier<Future<List<InetAddress>>> others,
      Function<InetAddress, Future<T>> connect,
      Consumer<T> unused) {
    AddressRace<T> race = new AddressRace<>(owner, others, connect, unused);
    race.watch(first);
    return race.winner.future();
  }

  private void watch(Future<T> attempt) {
    open++;
    timer = owner.setTimer(PATIENCE_MILLIS, id -> next());
    attempt.onComplete(
        (connection, why) -> {
          open--;
          if (over) {
            if (why == null) {
              unused.accept(connection);
            }
          } else if (why == null) {
            end();
            winner.complete(connection);
          } else {
            failed(why);
          }
        });
  }

  private void failed(Throwable why) {
    Throwable before = failure;
    failure = before == null || saysLittle(before) ? why : before;
    if (isOfAddress(why)) {
      next();
    } else {
      end();
      winner.fail(why);
    }
  }

  private static boolean isOfAddress(Throwable why) {
    return why instanceof IOException && !(why instanceof SSLException);
  }

  /** A machine without IPv6 has no way to any such address; what the others say is the reason. */
  private static boolean saysLittle(Throwable why) {
    return why instanceof NoRouteToHostException
        || (why instanceof SocketException
            && String.valueOf(why.getMessage()).contains("unreachable"));
  }

  private void end() {
    over = true;
    owner.cancelTimer(timer);
  }

  private void next() {
    owner.cancelTimer(timer);
    Deque<InetAddress> rest = others;
    if (rest == null && !asked) {
      asked = true;
      lookUp
          .get()
          .onComplete(
              (found, why) -> {
                others = new ArrayDeque<>(found == null ? List.of() : found);
                if (!over) {
                  next();
                }
              });
    } else if (rest != null && !rest.isEmpty()) {
      watch(connect.apply(rest.remove()));
    } else if (rest != null && open == 0) {
      end();
      winner.fail(failure);
    }
  }

  /**
   * The addresses of {@code host} by the system's resolver, but for the one that Vert.x takes; in
   * the order in which they are to be tried. Never fails.
   *
   * @param isOld whether the first attempt may have gone to an address that the name led to
   *     earlier: then the one that Vert.x takes now is the first of all. An HTTP client of Vert.x
   *     looks a name up once, as long as it is used
   */
  public static Future<List<InetAddress>> others(
      InternalContext owner, String host, boolean isOld) {
    Future<InetAddress> taken = ((VertxInternal) owner.vertx()).nameResolver().resolve(host);
    return owner
        .vertx()
        .executeBlocking(() -> List.of(InetAddress.getAllByName(host)), false)
        .otherwise(List.of())
        .compose(
            all ->
                taken.transform(
                    (one, none) -> {
                      List<InetAddress> order = others(all, one);
                      if (isOld && one != null) {
                        order.add(0, one);
                      }
                      return owner.succeededFuture(order);
                    }));
  }

  /** The addresses without {@code taken}, alternating between the families, its own last. */
  public static List<InetAddress> others(List<InetAddress> all, @Nullable InetAddress taken) {
    Deque<InetAddress> same = new ArrayDeque<>();
    Deque<InetAddress> other = new ArrayDeque<>();
    for (InetAddress each : all.stream().distinct().toList()) {
      if (!each.equals(taken)) {
        boolean alike = taken != null && each.getClass() == taken.getClass();
        (alike ? same : other).add(each);
      }
    }
    List<InetAddress> order = new ArrayList<>();
    while (order.size() < MAX_ADDRESSES && !(same.isEmpty() && other.isEmpty())) {
      for (Deque<InetAddress> family : List.of(other, same)) {
        if (!family.isEmpty()) {
          order.add(family.remove());
        }
      }
    }
    return order;
  }
}
