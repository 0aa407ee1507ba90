package dev.mcpbus.security.signin;

import dev.mcpbus.bus.ClusterMap;
import dev.mcpbus.bus.FairLimit;
import dev.mcpbus.security.oauth.OAuthDigests;
import dev.mcpbus.security.signin.SealedTexts.Purpose;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.core.shareddata.AsyncMap;
import java.time.Duration;
import java.util.Locale;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * The device codes that wait for a person (RFC 8628): in a map of the cluster, by the code that the
 * device shows, sealed, for ten minutes. Their number is bounded, and no address fills it alone.
 * Confined to one context.
 */
final class DeviceCodes {

  static final Duration LIFETIME = Duration.ofMinutes(10);
  static final Duration INTERVAL = Duration.ofSeconds(5);

  /** No vowels, so no words; no letters that look like others. */
  private static final String LETTERS = "BCDFGHJKLMNPQRSTVWXZ";

  private static final int LENGTH = 8;

  /** Devices that have begun to wait at one node. */
  static final int MOST = 1_000;

  /** A little less than the interval: the way to us may differ from poll to poll. */
  private static final Duration SOONEST = INTERVAL.minusMillis(500);

  private final Vertx vertx;
  private final SealedTexts texts;
  private final BiFunction<String, Duration, Future<Boolean>> first;
  private final FairLimit<String> waiting;

  /**
   * @param waiting the codes of devices that wait here, by address; the node has one
   */
  DeviceCodes(
      Vertx vertx,
      SealedTexts texts,
      BiFunction<String, Duration, Future<Boolean>> first,
      FairLimit<String> waiting) {
    this.vertx = vertx;
    this.texts = texts;
    this.first = first;
    this.waiting = waiting;
  }

  /**
   * A device that begins to wait.
   *
   * @param userCode for the person, {@code ABCD-EFGH}
   * @param deviceCode for the device alone
   */
  record WaitingDevice(String userCode, String deviceCode) {

    @Override
    public String toString() {
      return "WaitingDevice[***]";
    }
  }

  private Future<AsyncMap<String, String>> map() {
    return ClusterMap.DEVICES.of(vertx);
  }

  /**
   * Notes what a device asks for; fails with a {@link SignInRefusal} at the bound.
   *
   * @param from the address of the device
   */
  Future<WaitingDevice> begin(LoginRequest asked, String from) {
    StringBuilder letters = new StringBuilder();
    for (byte random : OAuthDigests.random(LENGTH * 4)) {
      int value = random & 0xff;
      if (letters.length() < LENGTH && value < 240) { // 240 is a multiple of 20
        letters.append(LETTERS.charAt(value % LETTERS.length()));
      }
    }
    String code = letters.toString();
    if (waiting.admit(code, from).isRefused()) {
      return SignInRefusal.of(503, "temporarily_unavailable", "too many devices wait for a login")
          .failed();
    }
    vertx.setTimer(LIFETIME.toMillis(), over -> waiting.remove(code));
    String shown = code.substring(0, LENGTH / 2) + "-" + code.substring(LENGTH / 2);
    String id = OAuthDigests.secret();
    LoginRequest login =
        new LoginRequest(
            asked.base(),
            asked.binding(),
            asked.client(),
            asked.name(),
            null,
            null,
            null,
            asked.resource(),
            asked.renews(),
            shown);
    JsonObject record = new JsonObject().put("login", login.json()).put("id", id);
    String deviceCode =
        texts.seal(
            Purpose.DEVICE,
            new JsonObject().put("userCode", shown).put("id", id).put("binding", asked.binding()),
            LIFETIME);
    return map()
        .compose(map -> map.putIfAbsent(code, sealed(record), LIFETIME.toMillis()))
        .onFailure(lost -> waiting.remove(code))
        .compose(
            before ->
                before == null
                    ? Future.succeededFuture(new WaitingDevice(shown, deviceCode))
                    : begin(asked, from));
  }

  private String sealed(JsonObject record) {
    return texts.seal(Purpose.DEVICE, record, LIFETIME);
  }

  private static String key(String userCode) {
    return userCode.toUpperCase(Locale.ROOT).replaceAll("[^A-Z]", "");
  }

  /** What the device with this code asks for; null if none waits. */
  Future<@Nullable LoginRequest> find(String userCode) {
    return map()
        .compose(map -> map.get(key(userCode)))
        .map(
            text -> {
              JsonObject record = texts.open(Purpose.DEVICE, text);
              return record == null
                      || !(record.getValue("login") instanceof JsonObject login)
                      || record.containsKey("family")
                      || record.containsKey("denied")
                  ? null
                  : LoginRequest.of(login);
            });
  }

  /** Gives the waiting device a login; completes with false if it waits no longer. */
  Future<Boolean> approve(String userCode, String family) {
    return change(userCode, "family", family);
  }

  /**
   * Tells the waiting device that it gets no login.
   *
   * @param why for the person at the device
   */
  Future<Void> deny(String userCode, String why) {
    return change(userCode, "denied", why).mapEmpty();
  }

  /** The first decision counts, whichever node it is made on. */
  private Future<Boolean> change(String userCode, String member, String value) {
    return map()
        .compose(
            map ->
                map.get(key(userCode))
                    .compose(
                        text -> {
                          JsonObject record = texts.open(Purpose.DEVICE, text);
                          return record == null
                              ? Future.succeededFuture(false)
                              : first
                                  .apply("signin decision " + record.getString("id"), LIFETIME)
                                  .compose(
                                      mine ->
                                          mine
                                              ? map.put(
                                                      key(userCode),
                                                      sealed(record.put(member, value)),
                                                      LIFETIME.toMillis())
                                                  .map(true)
                                              : Future.succeededFuture(false));
                        }));
  }

  /**
   * The family that the device gets; fails with the {@link SignInRefusal} of RFC 8628, section 3.5,
   * while there is none.
   */
  Future<String> poll(String deviceCode, String binding) {
    JsonObject device = texts.open(Purpose.DEVICE, deviceCode);
    if (device == null || !binding.equals(device.getValue("binding"))) {
      return expired();
    }
    String id = device.getString("id");
    String key = key(device.getString("userCode"));
    return first
        .apply("signin poll " + id, SOONEST)
        .compose(
            inTime ->
                inTime
                    ? map().compose(map -> polled(map, key, id))
                    : SignInRefusal.json("slow_down", "poll every 5 s at most").failed());
  }

  private Future<String> polled(AsyncMap<String, String> map, String key, String id) {
    return map.get(key)
        .compose(
            text -> {
              JsonObject record = texts.open(Purpose.DEVICE, text);
              if (record == null || !id.equals(record.getValue("id"))) {
                return expired();
              }
              String family = record.getString("family");
              if (family == null && !record.containsKey("denied")) {
                return SignInRefusal.json("authorization_pending", "the person has not decided yet")
                    .failed();
              }
              waiting.remove(key);
              return map.removeIfPresent(key, text)
                  .compose(
                      mine ->
                          !mine
                              ? expired()
                              : family == null
                                  ? SignInRefusal.json("access_denied", record.getString("denied"))
                                      .failed()
                                  : Future.succeededFuture(family));
            });
  }

  private static <T> Future<T> expired() {
    return SignInRefusal.json("expired_token", "the device code has ended").failed();
  }
}
