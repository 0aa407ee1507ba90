package dev.mcpbus.transport;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What a TLS connection goes by beside the certificates that Java trusts. The server's certificate
 * and name are always checked; nothing turns that off. All files are PEM, and read again whenever a
 * connection is opened anew, so that they may be renewed while mcpbus runs.
 *
 * @param caFile certificates that are trusted too, null for none
 * @param certFile our own certificate with its chain, for servers that ask for one; null for none
 * @param keyFile the private key of {@code certFile}, PKCS#8 or PKCS#1; null exactly where that is
 */
public record TlsOptions(@Nullable Path caFile, @Nullable Path certFile, @Nullable Path keyFile) {

  public TlsOptions {
    if ((certFile == null) != (keyFile == null)) {
      throw new IllegalArgumentException("certFile and keyFile go together");
    }
  }

  /** One more certificate authority. */
  public static TlsOptions trusting(Path caFile) {
    return new TlsOptions(caFile, null, null);
  }

  /** Which files there are; not where, as a variable may have said that. */
  @Override
  public String toString() {
    return "tls[caFile=" + (caFile != null) + ", certFile=" + (certFile != null) + "]";
  }
}
