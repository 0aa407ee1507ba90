package dev.mcpbus.doctor;

import dev.mcpbus.transport.TlsFiles;
import dev.mcpbus.transport.TransportException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.time.ZoneOffset;
import java.util.Date;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * The step {@code tls}: one handshake with the trust of the connection, to tell apart what is wrong
 * with a certificate. Blocks for the connect time-out at most.
 */
record TlsCheck(Endpoint endpoint) {

  private static final String STEP = "tls";
  private static final int MAX_NAMES = 5;
  private static final int PATIENCE_MILLIS = 2_000;

  /** A context with the trust of the connection. */
  static SSLContext context(Endpoint endpoint) throws GeneralSecurityException, TransportException {
    return context(new SeenCertificates(TlsFiles.trustedBy(endpoint.tlsOptions())));
  }

  private static SSLContext context(TrustManager trust) throws GeneralSecurityException {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, new TrustManager[] {trust}, null);
    return context;
  }

  /** Whether a TLS server listens there, whatever its certificate. */
  static boolean isSpoken(Endpoint endpoint) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(endpoint.host(), endpoint.port()), PATIENCE_MILLIS);
      SeenCertificates seen = new SeenCertificates(TlsFiles.trustedBy(null));
      try (SSLSocket tls = over(socket, context(seen), endpoint)) {
        Watchdog.closeAfter(socket, PATIENCE_MILLIS);
        tls.setSoTimeout(PATIENCE_MILLIS);
        tls.startHandshake();
        return true;
      } catch (IOException refused) {
        return seen.leaf() != null;
      }
    } catch (IOException | GeneralSecurityException | TransportException e) {
      return false;
    }
  }

  private static SSLSocket over(Socket connected, SSLContext context, Endpoint endpoint)
      throws IOException {
    return (SSLSocket)
        context.getSocketFactory().createSocket(connected, endpoint.host(), endpoint.port(), true);
  }

  DoctorStep run(Socket connected) {
    Stopwatch time = Stopwatch.start();
    SeenCertificates seen;
    SSLContext context;
    try {
      seen = new SeenCertificates(TlsFiles.trustedBy(endpoint.tlsOptions()));
      context = context(seen);
    } catch (TransportException | GeneralSecurityException e) {
      return DoctorStep.failed(
          STEP,
          time.millis(),
          Finding.of(
              DoctorCause.CONFIG_PROBLEM,
              String.valueOf(e.getMessage()),
              "Correct \"tls\" of the entry"));
    }
    long most = Math.max(1, endpoint.connectTimeout().toMillis());
    try (SSLSocket socket = over(connected, context, endpoint)) {
      Watchdog.closeAfter(connected, most);
      SSLParameters parameters = socket.getSSLParameters();
      parameters.setEndpointIdentificationAlgorithm("HTTPS");
      socket.setSSLParameters(parameters);
      socket.setSoTimeout((int) most);
      socket.startHandshake();
      X509Certificate own = seen.leaf();
      return DoctorStep.ok(
          STEP,
          time.millis(),
          socket.getSession().getProtocol()
              + (own == null ? "" : ", certificate valid until " + day(own.getNotAfter())));
    } catch (IOException e) {
      return DoctorStep.failed(STEP, time.millis(), finding(e, seen.leaf()));
    }
  }

  private Finding finding(IOException why, @Nullable X509Certificate leaf) {
    if (leaf != null && why instanceof SSLException) {
      Finding found = ofCertificate(why, leaf);
      if (found != null) {
        return found;
      }
    }
    String text = String.valueOf(why.getMessage());
    if (text.contains("Unsupported or unrecognized SSL message")
        || text.contains("plaintext connection")
        || (leaf == null && WireProbe.speaksHttp(endpoint))) {
      return Finding.of(
          DoctorCause.TLS_NOT_SPOKEN,
          "What listens at " + endpoint.place() + " does not speak TLS",
          "Write http:// in place of https:// (for a socket tcp:// in place of tls://), or correct"
              + " the port");
    }
    if (why instanceof SocketTimeoutException) {
      return Finding.of(
          DoctorCause.TLS_NOT_SPOKEN,
          endpoint.place() + " takes connections and does not answer the TLS handshake",
          "Is it the right port, and does it speak TLS?");
    }
    return Finding.of(
        DoctorCause.TLS_FAILED,
        "The TLS handshake with " + endpoint.place() + " fails: " + text,
        "Look at it with: openssl s_client -connect " + endpoint.place());
  }

  private @Nullable Finding ofCertificate(IOException why, X509Certificate leaf) {
    String place = endpoint.place();
    if (caused(why, CertificateExpiredException.class)) {
      return Finding.of(
          DoctorCause.TLS_CERTIFICATE_EXPIRED,
          "The certificate of " + place + " has expired on " + day(leaf.getNotAfter()),
          "Renew it at the server. If it is valid, the clock of this machine is wrong");
    }
    if (caused(why, CertificateNotYetValidException.class)) {
      return Finding.of(
          DoctorCause.TLS_CERTIFICATE_NOT_YET_VALID,
          "The certificate of " + place + " is valid from " + day(leaf.getNotBefore()) + " on",
          "Is the clock of this machine right?");
    }
    String text = messages(why);
    if (text.contains("No subject alternative") || text.contains("No name matching")) {
      return Finding.of(
          DoctorCause.TLS_WRONG_HOST,
          "The certificate is not for " + endpoint.host() + ", but for " + names(leaf),
          "Write a name of the certificate in \"url\", or give the server a certificate for "
              + endpoint.host());
    }
    if (!text.contains("unable to find valid certification path")) {
      return null;
    }
    boolean selfSigned = leaf.getIssuerX500Principal().equals(leaf.getSubjectX500Principal());
    return Finding.of(
        selfSigned ? DoctorCause.TLS_SELF_SIGNED : DoctorCause.TLS_UNKNOWN_AUTHORITY,
        selfSigned
            ? "The certificate of " + place + " is signed by itself"
            : "Java does not know the authority that signed the certificate of "
                + place
                + ": "
                + leaf.getIssuerX500Principal().getName(),
        "Save "
            + (selfSigned ? "it" : "the authority's certificate")
            + " as PEM and name that file in the entry: \"tls\": {\"caFile\": \"...\"}");
  }

  private static boolean caused(Throwable why, Class<? extends CertificateException> type) {
    for (Throwable at = why; at != null; at = at.getCause()) {
      if (type.isInstance(at)) {
        return true;
      }
    }
    return false;
  }

  private static String messages(Throwable why) {
    StringBuilder all = new StringBuilder();
    for (Throwable at = why; at != null; at = at.getCause()) {
      all.append(at.getMessage()).append('\n');
    }
    return all.toString();
  }

  private static String day(Date date) {
    return date.toInstant().atZone(ZoneOffset.UTC).toLocalDate().toString();
  }

  /** The names for which a certificate is valid, the first ones. */
  private static String names(X509Certificate certificate) {
    try {
      if (certificate.getSubjectAlternativeNames() != null) {
        return certificate.getSubjectAlternativeNames().stream()
            .limit(MAX_NAMES)
            .map(name -> String.valueOf(name.get(1)))
            .collect(Collectors.joining(", "));
      }
    } catch (CertificateException e) {
      // The subject says it then.
    }
    return certificate.getSubjectX500Principal().getName();
  }
}
