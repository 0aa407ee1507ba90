package dev.mcpbus.soak;

import io.vertx.core.Future;
import java.util.List;

/**
 * One thing that clients do over and over.
 *
 * @param name as on the command line
 * @param lanes how many do it at a time when it runs alone
 * @param share of the wanted number of times that is done, for what takes a second or more each
 * @param pauseMillis between two of them in the mixture
 * @param lingerSeconds for which the service has to keep what is left behind
 * @param kept how many of them the service remembers at most, by design
 */
record ChurnKind(
    String name,
    int lanes,
    double share,
    long pauseMillis,
    long lingerSeconds,
    long kept,
    Operation operation) {

  /** Does it once; gives a word for how it ended, of those that may be, else fails. */
  @FunctionalInterface
  interface Operation {
    Future<String> once(long number);
  }

  static ChurnKind of(String name, Operation operation) {
    return new ChurnKind(name, 8, 1, 250, 0, 0, operation);
  }

  /** True where it is done over HTTP/2, for which the service needs TLS. */
  static boolean needsTls(String name) {
    return name.startsWith("http2");
  }

  static ChurnKind find(List<ChurnKind> kinds, String name) {
    return kinds.stream()
        .filter(kind -> kind.name().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "no kind of churn is called "
                        + name
                        + "; there are "
                        + kinds.stream().map(ChurnKind::name).toList()));
  }

  ChurnKind withLanes(int other) {
    return new ChurnKind(name, other, share, pauseMillis, lingerSeconds, kept, operation);
  }

  ChurnKind withShare(double other) {
    return new ChurnKind(name, lanes, other, pauseMillis, lingerSeconds, kept, operation);
  }

  ChurnKind withPause(long millis) {
    return new ChurnKind(name, lanes, share, millis, lingerSeconds, kept, operation);
  }

  ChurnKind withLinger(long seconds) {
    return new ChurnKind(name, lanes, share, pauseMillis, seconds, kept, operation);
  }

  ChurnKind withKept(long most) {
    return new ChurnKind(name, lanes, share, pauseMillis, lingerSeconds, most, operation);
  }
}
