package dev.mcpbus.transport;

import dev.mcpbus.internals.InternalContext;
import dev.mcpbus.transport.TransportException.Reached;
import dev.mcpbus.transport.TransportException.Reason;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.ClientOptionsBase;
import io.vertx.core.net.KeyCertOptions;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.TrustOptions;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Collection;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * The contents of the files of {@link TlsOptions} at the time when a connection was opened.
 * Immutable.
 */
public final class TlsFiles {

  /** No files. */
  public static final TlsFiles NONE = new TlsFiles(null, null);

  private final @Nullable TrustOptions trust;
  private final @Nullable KeyCertOptions own;

  private TlsFiles(@Nullable TrustOptions trust, @Nullable KeyCertOptions own) {
    this.trust = trust;
    this.own = own;
  }

  /**
   * Reads the files on a worker thread; completes at once if there are none.
   *
   * @return completes on {@code owner}; fails with {@code TLS_ERROR}, naming the file and the
   *     remedy
   */
  public static Future<TlsFiles> read(InternalContext owner, @Nullable TlsOptions options) {
    return options == null
        ? owner.succeededFuture(NONE)
        : owner.context().executeBlocking(() -> read(owner.vertx(), options), false);
  }

  /**
   * What a connection with these options trusts, for a check that uses no Vert.x. Reads the file:
   * blocks.
   *
   * @throws TransportException {@code TLS_ERROR}, naming the file and the remedy
   */
  public static X509ExtendedTrustManager trustedBy(@Nullable TlsOptions options)
      throws TransportException {
    Path ca = options == null ? null : options.caFile();
    try {
      TrustManagerFactory factory = ca == null ? factory() : trusting(ca);
      if (ca == null) {
        factory.init((KeyStore) null);
      }
      for (TrustManager manager : factory.getTrustManagers()) {
        if (manager instanceof X509ExtendedTrustManager known) {
          return known;
        }
      }
    } catch (GeneralSecurityException e) {
      throw new TransportException(Reason.TLS_ERROR, Reached.NO, "Java's trust store: " + e);
    }
    throw new TransportException(Reason.TLS_ERROR, Reached.NO, "Java has no trust store");
  }

  /** Adds the certificates to a client's options. Without a file the option keeps its value. */
  public void addTo(ClientOptionsBase client) {
    if (trust != null) {
      client.setTrustOptions(trust);
    }
    if (own != null) {
      client.setKeyCertOptions(own);
    }
  }

  private static TlsFiles read(Vertx vertx, TlsOptions options) throws TransportException {
    Path ca = options.caFile();
    Path cert = options.certFile();
    Path key = options.keyFile();
    return new TlsFiles(
        ca == null ? null : TrustOptions.wrap(trusting(ca)),
        cert == null || key == null ? null : own(vertx, cert, key));
  }

  /** A trust store with the certificates that Java trusts and those of the file. */
  private static TrustManagerFactory trusting(Path file) throws TransportException {
    byte[] text = bytes("caFile", file);
    try {
      Collection<? extends Certificate> more =
          CertificateFactory.getInstance("X.509")
              .generateCertificates(new ByteArrayInputStream(text));
      if (more.isEmpty()) {
        throw unusable("caFile", file, "it contains no certificate");
      }
      KeyStore all = KeyStore.getInstance(KeyStore.getDefaultType());
      all.load(null, null);
      int count = 0;
      for (Certificate each : more) {
        all.setCertificateEntry("own-" + count++, each);
      }
      for (X509Certificate each : trustedByJava()) {
        all.setCertificateEntry("java-" + count++, each);
      }
      TrustManagerFactory factory = factory();
      factory.init(all);
      return factory;
    } catch (GeneralSecurityException | IOException e) {
      throw unusable("caFile", file, "it contains no PEM certificates");
    }
  }

  private static X509Certificate[] trustedByJava() throws GeneralSecurityException {
    TrustManagerFactory factory = factory();
    factory.init((KeyStore) null);
    for (TrustManager manager : factory.getTrustManagers()) {
      if (manager instanceof X509TrustManager known) {
        return known.getAcceptedIssuers();
      }
    }
    return new X509Certificate[0];
  }

  private static TrustManagerFactory factory() throws GeneralSecurityException {
    return TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
  }

  private static KeyCertOptions own(Vertx vertx, Path cert, Path key) throws TransportException {
    PemKeyCertOptions own =
        new PemKeyCertOptions()
            .addCertValue(Buffer.buffer(bytes("certFile", cert)))
            .addKeyValue(Buffer.buffer(bytes("keyFile", key)));
    try {
      own.getKeyManagerFactory(vertx);
      return own;
    } catch (Exception e) { // the method declares Exception; its text may quote the key
      throw unusable(
          "certFile", cert, "this file and keyFile are not a PEM certificate with its key");
    }
  }

  private static byte[] bytes(String key, Path file) throws TransportException {
    try {
      return Files.readAllBytes(file);
    } catch (NoSuchFileException e) {
      throw unusable(key, file, "the file does not exist");
    } catch (IOException e) {
      throw unusable(key, file, "it cannot be read (" + e.getClass().getSimpleName() + ")");
    }
  }

  private static TransportException unusable(String key, Path file, String why) {
    return new TransportException(
        Reason.TLS_ERROR, Reached.NO, "tls." + key + " " + file + ": " + why + "; correct it");
  }
}
