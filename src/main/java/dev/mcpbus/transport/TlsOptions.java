package dev.mcpbus.transport;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The certificates and keys of a TLS connection in addition to the certificates that Java trusts.
 * The server's certificate and name are always checked; no option turns that off. All files are
 * PEM. They are read again each time that a channel opens, so that they can be replaced while
 * mcpbus runs.
 *
 * @param caFile additional trusted certificates, null for none
 * @param certFile our own certificate with its chain, for servers that require one; null for none
 * @param keyFile the private key of {@code certFile}, PKCS#8 or PKCS#1; null exactly if {@code
 *     certFile} is null
 */
public record TlsOptions(@Nullable Path caFile, @Nullable Path certFile, @Nullable Path keyFile) {

  public TlsOptions {
    if ((certFile == null) != (keyFile == null)) {
      throw new IllegalArgumentException("set certFile and keyFile together");
    }
  }

  /** Shows which files are set, but not their paths: a path may come from a variable. */
  @Override
  public String toString() {
    return "tls[caFile=" + (caFile != null) + ", certFile=" + (certFile != null) + "]";
  }
}
