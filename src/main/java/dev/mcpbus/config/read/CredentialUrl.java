package dev.mcpbus.config.read;

import dev.mcpbus.protocol.LoopbackHosts;
import dev.mcpbus.protocol.UrlPlace;
import java.net.URI;
import java.net.URISyntaxException;
import org.jspecify.annotations.Nullable;

/** A URL to which credentials go: https, or http on this machine, without user and fragment. */
final class CredentialUrl {

  private CredentialUrl() {}

  /** Null for any other text; the caller reports it without the text, which may hold a secret. */
  static @Nullable URI parse(String text) {
    try {
      URI url = new URI(text);
      boolean here = "http".equals(url.getScheme()) && LoopbackHosts.contains(url.getHost());
      boolean fits =
          UrlPlace.of(url).host() != null
              && ("https".equals(url.getScheme()) || here)
              && url.getRawUserInfo() == null
              && url.getRawFragment() == null;
      return fits ? url : null;
    } catch (URISyntaxException e) {
      return null;
    }
  }
}
