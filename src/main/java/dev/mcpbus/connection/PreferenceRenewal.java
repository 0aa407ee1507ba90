package dev.mcpbus.connection;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.connection.session.SessionPreferences;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the session preferences (log level, subscriptions, followed tasks) to the server of each
 * new session. Owner: the connection's context.
 */
record PreferenceRenewal(ConnectionId id, SessionPreferences preferences) {

  private static final Logger LOG = LoggerFactory.getLogger(PreferenceRenewal.class);

  /** Sends the preferences to the server of {@code now}; logs what the server refuses. */
  void renew(ReadySession now) {
    now.tasks().ready(now.open());
    if (now.isDiscoverEra()) {
      now.subscriptions().refresh();
      return;
    }
    RawJson level = preferences.logLevel();
    if (level != null && now.offers("logging")) {
      ask(now, Methods.SET_LEVEL, RawJson.EMPTY_OBJECT.with("level", level));
    }
    for (String uri : preferences.subscribers().uris()) {
      ask(now, Methods.RESOURCES_SUBSCRIBE, RawJson.EMPTY_OBJECT.with("uri", RawJson.string(uri)));
    }
  }

  private void ask(ReadySession now, String method, RawJson params) {
    now.session()
        .request(method, params, now.session().options().requestTimeout())
        .onFailure(
            failure ->
                LOG.warn(
                    "connection {}: {} was not renewed: {}", id, method, failure.getMessage()));
  }
}
