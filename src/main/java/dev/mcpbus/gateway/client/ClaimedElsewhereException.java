package dev.mcpbus.gateway.client;

/** Another session host has the client of a request: the request has to go there. */
final class ClaimedElsewhereException extends RuntimeException {

  private static final long serialVersionUID = 1;

  final String host;

  /**
   * @param host its name; empty where this host is leaving and none is known
   */
  ClaimedElsewhereException(String host) {
    super("the client's session is at host " + host, null, false, false);
    this.host = host;
  }
}
