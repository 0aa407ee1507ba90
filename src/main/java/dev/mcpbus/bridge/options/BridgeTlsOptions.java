package dev.mcpbus.bridge.options;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * TLS of the bridge. The bridge reads the files when it starts, and offers HTTP/2 by ALPN.
 * Immutable.
 *
 * @param certFile certificate and its chain, PEM
 * @param keyFile its private key, PKCS#8 PEM without a passphrase
 * @param clientCaFile the authorities of client certificates, PEM; null: clients are not asked for
 *     one. A certificate alone lets nobody in; a token that is bound to one (RFC 8705) needs it
 * @param clientCertificates whether a connection without one is refused
 */
public record BridgeTlsOptions(
    Path certFile,
    Path keyFile,
    @Nullable Path clientCaFile,
    ClientCertificates clientCertificates) {

  /** Whether clients need a certificate. */
  public enum ClientCertificates {
    /** One that a client shows has to be good; a client without one may connect. */
    OPTIONAL,
    REQUIRED
  }

  /** Without certificates of clients. */
  public BridgeTlsOptions(Path certFile, Path keyFile) {
    this(certFile, keyFile, null, ClientCertificates.OPTIONAL);
  }
}
