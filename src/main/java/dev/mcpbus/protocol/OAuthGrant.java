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
  WORKLOAD_IDENTITY
}
