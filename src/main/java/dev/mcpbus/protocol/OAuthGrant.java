package dev.mcpbus.protocol;

/** The ways in which a client obtains a token for a server, as MCP's authorization has them. */
public enum OAuthGrant {
  /** A person logs in with a browser. */
  AUTHORIZATION_CODE,
  CLIENT_CREDENTIALS,
  /** A JWT signed with the private key is itself the grant (RFC 7523, section 2.1). */
  JWT_BEARER,
  /** An enterprise's identity provider exchanges an identity assertion for the grant. */
  ID_JAG,
  /** A JWT of the platform that runs this process is itself the grant (SEP-1933, RFC 7523). */
  WORKLOAD_IDENTITY,
  /** The token of the caller is exchanged for one of the server (RFC 8693). */
  TOKEN_EXCHANGE,
  /** The same as Entra ID has it: the caller's token as an assertion, on behalf of its user. */
  ON_BEHALF_OF
}
