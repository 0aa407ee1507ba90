package dev.mcpbus.protocol;

import java.net.URI;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The host and port of a URL. {@link URI} reads no name with an underscore, which services of
 * Docker Compose often have; this does.
 *
 * @param host as in the URL; null if there is none
 * @param port -1 if there is none
 */
public record UrlPlace(@Nullable String host, int port) {

  private static final Pattern NAME = Pattern.compile("([\\w.-]+)(?::(\\d{1,5}))?");

  public static UrlPlace of(URI url) {
    Matcher name = NAME.matcher(String.valueOf(url.getRawAuthority()));
    return url.getHost() != null || url.getRawAuthority() == null || !name.matches()
        ? new UrlPlace(url.getHost(), url.getPort())
        : new UrlPlace(name.group(1), name.group(2) == null ? -1 : Integer.parseInt(name.group(2)));
  }
}
