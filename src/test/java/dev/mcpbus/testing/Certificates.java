package dev.mcpbus.testing;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * Keys and certificates made by the JDK's own keytool, each in one PKCS#12 file. Whoever asks for
 * the same ones in the same order gets the same ones: each call of keytool is a JVM, so one JVM of
 * tests makes each but once.
 */
public final class Certificates {

  public static final String PASSWORD = "changeit";

  /** The stores, by the arguments of all calls that made them. */
  private static final Map<List<String>, byte[]> MADE = new ConcurrentHashMap<>();

  private final Path folder;
  private final List<String> asked = new ArrayList<>();

  public Certificates(Path folder) {
    this.folder = folder;
  }

  public Path store() {
    return folder.resolve("all.p12");
  }

  /** A certificate authority that signs itself. */
  public Certificates authority(String alias) {
    return run(alias, "-ext", "bc:c", "-validity", "30");
  }

  /** A certificate that signs itself, for {@code names} such as {@code dns:localhost}. */
  public Certificates selfSigned(String alias, String names) {
    return run(alias, "-ext", "san=" + names, "-validity", "30");
  }

  /**
   * A certificate of {@code authority}.
   *
   * @param start such as {@code -10d}
   * @param days from then on
   */
  public Certificates signed(String alias, String authority, String names, String start, int days) {
    return run(
        alias,
        "-signer",
        authority,
        "-ext",
        "san=" + names,
        "-startdate",
        start,
        "-validity",
        Integer.toString(days));
  }

  /** For a client that trusts each of them. */
  public SSLContext trusting() {
    try {
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(keyStore());
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, trust.getTrustManagers(), null);
      return context;
    } catch (IOException | GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  /** The certificate and its chain as PEM, in a file of that name. */
  public Path certificate(String alias, String file) {
    try {
      StringBuilder text = new StringBuilder();
      for (var each : keyStore().getCertificateChain(alias)) {
        text.append(pem("CERTIFICATE", each.getEncoded()));
      }
      return Files.writeString(folder.resolve(file), text);
    } catch (IOException | GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  /** The private key as PEM, in a file of that name. */
  public Path key(String alias, String file) {
    try {
      byte[] key = keyStore().getKey(alias, PASSWORD.toCharArray()).getEncoded();
      return Files.writeString(folder.resolve(file), pem("PRIVATE KEY", key));
    } catch (IOException | GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  private KeyStore keyStore() throws IOException, GeneralSecurityException {
    return KeyStore.getInstance(store().toFile(), PASSWORD.toCharArray());
  }

  private static String pem(String what, byte[] bytes) {
    String body =
        Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII)).encodeToString(bytes);
    return "-----BEGIN " + what + "-----\n" + body + "\n-----END " + what + "-----\n";
  }

  private Certificates run(String alias, String... more) {
    asked.add(alias);
    asked.addAll(List.of(more));
    try {
      byte[] made = MADE.get(asked);
      if (made != null) {
        Files.write(store(), made);
      } else {
        keytool(alias, more);
        MADE.put(List.copyOf(asked), Files.readAllBytes(store()));
      }
      return this;
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private void keytool(String alias, String... more) throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-J-XX:TieredStopAtLevel=1",
                "-J-XX:+UseSerialGC",
                "-genkeypair",
                "-keystore",
                store().toString(),
                "-storepass",
                PASSWORD,
                "-alias",
                alias,
                "-dname",
                "CN=" + alias,
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1"));
    command.addAll(List.of(more));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new AssertionError("keytool: " + said);
    }
  }
}
