package dev.mcpbus.bridge.options;

import java.nio.file.Path;

/**
 * TLS of the bridge. The bridge reads the files when it starts, and offers HTTP/2 by ALPN.
 * Immutable.
 *
 * @param certFile certificate and its chain, PEM
 * @param keyFile its private key, PKCS#8 PEM without a passphrase
 */
public record BridgeTlsOptions(Path certFile, Path keyFile) {}
