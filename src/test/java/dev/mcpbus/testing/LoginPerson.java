package dev.mcpbus.testing;

import dev.mcpbus.testing.FormBrowser.Page;
import java.net.URI;
import java.util.Map;

/** A person with a browser, who logs in by a link of mcpbus at a server of callers. */
public final class LoginPerson {

  private final FormBrowser browser = new FormBrowser();

  public FormBrowser browser() {
    return browser;
  }

  /** The page after the key was typed in; one of another server is not asked for. */
  public Page proves(String link, String key) {
    Page page = browser.open(URI.create(link));
    return browser.submit(
        page,
        page.fields().containsKey("key") ? Map.of("key", key) : Map.of(),
        uri -> !uri.getPath().startsWith("/login/"));
  }

  /** Where a page of {@link #proves} leads on to. */
  public static URI leadsTo(Page page) {
    if (page.status() != 0) {
      throw new AssertionError(page.status() + " leads nowhere: " + page.html());
    }
    return page.uri();
  }

  /**
   * The address with which the authorization server sends the browser back; it is not opened.
   *
   * @param start the page of the authorization server
   * @param person the name there
   */
  public URI comesBack(URI start, String person) {
    return browser.signIn(start, person, uri -> uri.getPath().equals("/login/callback"));
  }

  /**
   * Does it all.
   *
   * @param key for mcpbus
   * @param person the name at the authorization server
   * @return the last page
   */
  public Page logsIn(String link, String key, String person) {
    return browser.open(comesBack(leadsTo(proves(link, key)), person));
  }
}
