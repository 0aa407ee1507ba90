package dev.mcpbus.doctor;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/**
 * Trusts as another one does, and keeps the server's certificate also where that one refuses it.
 * For one handshake.
 */
final class SeenCertificates extends X509ExtendedTrustManager {

  private final X509ExtendedTrustManager trust;
  private volatile @Nullable X509Certificate leaf;

  SeenCertificates(X509ExtendedTrustManager trust) {
    this.trust = trust;
  }

  /** The server's certificate; null before it has come. */
  @Nullable X509Certificate leaf() {
    return leaf;
  }

  private void seen(X509Certificate[] chain) {
    leaf = chain.length == 0 ? null : chain[0];
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    seen(chain);
    trust.checkServerTrusted(chain, type, socket);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    seen(chain);
    trust.checkServerTrusted(chain, type, engine);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
    seen(chain);
    trust.checkServerTrusted(chain, type);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    trust.checkClientTrusted(chain, type, socket);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    trust.checkClientTrusted(chain, type, engine);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
    trust.checkClientTrusted(chain, type);
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return trust.getAcceptedIssuers();
  }
}
