package dev.mcpbus.bridge.options;

import java.nio.file.Path;

/**
 * TLS of the bridge. Read when it starts; with TLS it speaks HTTP/2 too, by ALPN.
 *
 * @param certFile certificate and its chain, PEM
 * @param keyFile its private key, PKCS#8 PEM without a passphrase
 */
public record BridgeTlsOptions(Path certFile, Path keyFile) {}
