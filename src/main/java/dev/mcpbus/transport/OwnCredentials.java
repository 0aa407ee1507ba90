package dev.mcpbus.transport;

import dev.mcpbus.protocol.PublicApi;
import dev.mcpbus.protocol.Sensitive;
import org.jspecify.annotations.Nullable;

/** A program's own credentials for servers over HTTP. Any thread may call. */
@PublicApi
@FunctionalInterface
public interface OwnCredentials {

  /**
   * The credentials for one server; asked for once for each of its sessions.
   *
   * @param server its id
   * @param url its URL, with variables replaced
   * @return null where mcpbus sees to the credentials, as the entry of the server says
   */
  @Nullable Authenticator of(String server, Sensitive url);
}
