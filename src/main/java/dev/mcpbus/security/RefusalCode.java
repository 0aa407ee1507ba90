package dev.mcpbus.security;

import dev.mcpbus.security.Audit.Decision;
import java.util.Locale;

/**
 * Why a door refused a request: the code of its line in the audit log and, before routing, of its
 * problem document. After routing the failure codes of the bus take over.
 */
public enum RefusalCode {
  /** The request is malformed, or its path takes no such request. */
  BAD_REQUEST(Decision.DENY),

  /** No credential, or one that is not valid. */
  UNAUTHORIZED(Decision.UNKNOWN),

  /** The host, the origin or the scopes of the token are not allowed. */
  FORBIDDEN(Decision.DENY),

  /** No policy allows it. The client may see the failure that an absent thing gives. */
  DENIED(Decision.DENY),

  /** A path of the gateway that the principal may not enter, or that does not exist. */
  UNKNOWN_CONNECTION(Decision.DENY),

  /** Above the rate limit of the principal. */
  RATE_LIMITED(Decision.LIMIT),

  /** Whether the credential is valid cannot be known now. */
  UNAVAILABLE(Decision.UNKNOWN);

  private final Decision decision;

  RefusalCode(Decision decision) {
    this.decision = decision;
  }

  /** The member {@code decision} of the line. */
  public Decision decision() {
    return decision;
  }

  /** The {@code type} of the problem document (RFC 9457). */
  String type() {
    return "urn:mcpbus:" + name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
