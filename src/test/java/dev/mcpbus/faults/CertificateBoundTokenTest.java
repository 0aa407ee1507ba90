package dev.mcpbus.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mcpbus.TestOptions;
import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bridge.options.BridgeTlsOptions;
import dev.mcpbus.bridge.options.BridgeTlsOptions.ClientCertificates;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.Sha256;
import dev.mcpbus.testing.Certificates;
import dev.mcpbus.testing.TokenIssuer;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.time.Duration;
import java.util.Base64;
import java.util.Set;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Tokens that are bound to the certificate of their client (RFC 8705). */
@ExtendWith(VertxExtension.class)
class CertificateBoundTokenTest {

  private static final char[] PASSWORD = Certificates.PASSWORD.toCharArray();

  @TempDir Path folder;
  private Certificates certificates;
  private TokenIssuer issuer;
  private DoorBed bed;

  @BeforeEach
  void start(Vertx vertx) {
    certificates =
        new Certificates(folder)
            .selfSigned("front", "dns:localhost")
            .authority("ca")
            .signed("ann", "ca", "dns:ann", "-1d", 30)
            .signed("bob", "ca", "dns:bob", "-1d", 30)
            .selfSigned("eve", "dns:eve");
    issuer = new TokenIssuer(vertx);
    issuer.add("one");
    bed = bed(ClientCertificates.OPTIONAL);
  }

  private DoorBed bed(ClientCertificates clients) {
    BridgeTlsOptions tls =
        new BridgeTlsOptions(
            certificates.certificate("front", "front.crt"),
            certificates.key("front", "front.key"),
            certificates.certificate("ca", "ca.crt"),
            clients);
    return new DoorBed(
        RecordCopy.with(BridgeOptions.DEFAULT.withPort(0), "tls", tls),
        RecordCopy.with(
            DoorBed.keys(),
            "issuers",
            TestOptions.issuer(issuer.url(), Set.of(), Set.of(), Duration.ofSeconds(5))));
  }

  @AfterEach
  void close() {
    bed.close();
    issuer.close();
  }

  private KeyStore store() throws IOException, GeneralSecurityException {
    return KeyStore.getInstance(certificates.store().toFile(), PASSWORD);
  }

  private static KeyStore empty() throws IOException, GeneralSecurityException {
    KeyStore empty = KeyStore.getInstance("PKCS12");
    empty.load(null, null);
    return empty;
  }

  /** With the certificate of that name, or with none. */
  private int status(@Nullable String name, String token)
      throws IOException, GeneralSecurityException, InterruptedException {
    KeyStore own = empty();
    if (name != null) {
      own.setKeyEntry(
          name, store().getKey(name, PASSWORD), PASSWORD, store().getCertificateChain(name));
    }
    KeyStore trusted = empty();
    trusted.setCertificateEntry("front", store().getCertificate("front"));
    KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
    keys.init(own, PASSWORD);
    TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
    trust.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
    return HttpClient.newBuilder()
        .sslContext(context)
        .build()
        .send(
            HttpRequest.newBuilder(
                    URI.create("https://localhost:" + bed.bus.port() + "/api/caller"))
                .header("Authorization", "Bearer " + token)
                .build(),
            BodyHandlers.ofString())
        .statusCode();
  }

  private String bound(String name) throws IOException, GeneralSecurityException {
    Certificate certificate = store().getCertificate(name);
    String hash =
        Base64.getUrlEncoder().withoutPadding().encodeToString(Sha256.of(certificate.getEncoded()));
    return issuer.token(
        "one", issuer.claims("ann", "mcp").put("cnf", new JsonObject().put("x5t#S256", hash)));
  }

  @Test
  void a_token_works_over_connections_of_its_certificate_alone() throws Exception {
    String token = bound("ann");
    assertThat(status("ann", token)).isEqualTo(200);
    assertThat(status("bob", token)).isEqualTo(401);
    assertThat(status(null, token)).isEqualTo(401);
    assertThat(status("ann", bound("front"))).as("that of the server").isEqualTo(401);
    assertThat(status(null, issuer.token("one", issuer.claims("ann", "mcp")))).isEqualTo(200);
    assertThat(status("ann", "mcpbus_" + "A".repeat(43)))
        .as("a certificate alone lets nobody in")
        .isEqualTo(401);
  }

  @Test
  void a_certificate_of_another_authority_makes_no_connection() throws Exception {
    String token = bound("eve");
    assertThat(asStranger(token)).isNotEqualTo(200);
    bed.close();
    bed = bed(ClientCertificates.REQUIRED);
    String plain = issuer.token("one", issuer.claims("ann", "mcp"));
    assertThatThrownBy(() -> status(null, plain)).isInstanceOf(IOException.class);
    assertThat(status("ann", plain)).isEqualTo(200);
  }

  /** The JDK's client shows no certificate of an authority that the server has not named. */
  private int asStranger(String token) throws GeneralSecurityException, InterruptedException {
    try {
      return status("eve", token);
    } catch (IOException refused) {
      return -1;
    }
  }
}
