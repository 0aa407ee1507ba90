package dev.mcpbus.security.signin;

import dev.mcpbus.security.AddressLimit;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.util.Map;

/**
 * The device flow (RFC 8628): a device asks, a person types its code in a browser, and goes the way
 * of every login from the consent page on. Used on the context of the HTTP verticle.
 */
final class DeviceRoutes {

  private static final int MAX_CODE = 20;

  private final ClientDirectory clients;
  private final DeviceCodes devices;
  private final LoginRoutes logins;
  private final AddressLimit guesses;

  /**
   * @param guesses bounds the wrong codes that one address tries
   */
  DeviceRoutes(
      ClientDirectory clients, DeviceCodes devices, LoginRoutes logins, AddressLimit guesses) {
    this.clients = clients;
    this.devices = devices;
    this.logins = logins;
    this.guesses = guesses;
  }

  /** The device authorization endpoint. */
  Future<Void> begin(SignInRequest request) throws SignInRefusal {
    Map<String, String> fields = request.fields();
    String resource = LoginRoutes.resource(request, fields);
    String page = request.own().base() + "/oauth/device";
    return clients
        .find(SignInRequest.field(fields, "client_id"))
        .compose(
            client ->
                devices.begin(
                    new LoginRequest(
                        request.own().base(),
                        SignInClient.binding(client.id()),
                        LoginRequest.shortId(client),
                        client.name(),
                        null,
                        null,
                        null,
                        resource,
                        client.renews(),
                        null),
                    SignInHandler.address(request.http())))
        .onSuccess(
            device ->
                request.json(
                    200,
                    new JsonObject()
                        .put("device_code", device.deviceCode())
                        .put("user_code", device.userCode())
                        .put("verification_uri", page)
                        .put("verification_uri_complete", page + "?user_code=" + device.userCode())
                        .put("expires_in", DeviceCodes.LIFETIME.toSeconds())
                        .put("interval", DeviceCodes.INTERVAL.toSeconds())))
        .mapEmpty();
  }

  /** The page for the code; a link may fill it in, and the person still has to go on. */
  Future<Void> page(SignInRequest request) throws SignInRefusal {
    Map<String, String> fields = request.fields();
    String code = fields.getOrDefault("user_code", "");
    String shown = code.length() > MAX_CODE ? "" : code;
    if (request.isGet()) {
      request.page(200, SignInPages.device("", shown));
      return Future.succeededFuture();
    }
    if (!request.isFromOwnPage()) {
      throw SignInRefusal.of(403, "access_denied", "this form is that of another page");
    }
    String from = SignInHandler.address(request.http());
    if (!guesses.admits(from)) {
      throw SignInRefusal.of(429, "slow_down", "too many wrong codes were tried: wait a minute");
    }
    return devices
        .find(shown)
        .onSuccess(
            login -> {
              if (login == null || !login.base().equals(request.own().base())) {
                request.page(400, SignInPages.device("No device waits with this code.", ""));
              } else {
                guesses.giveBack(from);
                logins.ask(request, login);
              }
            })
        .mapEmpty();
  }
}
