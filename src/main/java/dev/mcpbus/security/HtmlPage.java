package dev.mcpbus.security;

import dev.mcpbus.protocol.Printable;
import dev.mcpbus.protocol.Sha256;
import io.vertx.core.http.HttpServerResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Locale;

/**
 * The pages that a person sees beside the console, light and dark: without scripts, without
 * requests to anywhere. Stateless.
 */
public final class HtmlPage {

  private static final String STYLE =
      """
      :root{color-scheme:light dark;--ground:light-dark(#f6f7f6,#14181a);\
      --surface:light-dark(#fff,#1c2225);--line:light-dark(#d5dbd9,#364045);\
      --edge:light-dark(#7c888c,#73828a);\
      --text:light-dark(#182022,#e6ecea);--dim:light-dark(#566266,#9dabaf);\
      --accent:light-dark(#0b6153,#5fd0b8);--on-accent:light-dark(#fff,#06251f);\
      --warn:light-dark(#6f4300,#f0b455);--warn-ground:light-dark(#fdf3e1,#33270f);\
      font:16px/1.5 system-ui,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
      *{box-sizing:border-box}
      body{margin:0;background:var(--ground);color:var(--text)}
      main{max-width:34rem;margin:8vh auto;padding:1.5rem;background:var(--surface);\
      border:1px solid var(--line);border-radius:.6rem}
      h1{font-size:1.3rem;margin:0 0 1rem;overflow-wrap:anywhere}
      dl{margin:1rem 0;display:grid;gap:.2rem}
      dt{color:var(--dim);font-size:.85rem;margin-top:.5rem}
      dd{margin:0;overflow-wrap:anywhere}
      code{font-family:ui-monospace,"DejaVu Sans Mono",Menlo,monospace;font-size:.85em}
      main>:last-child{margin-bottom:0}
      .dim{color:var(--dim)}
      .warn{color:var(--warn);background:var(--warn-ground);border-left:4px solid currentColor;\
      padding:.6rem .9rem;border-radius:.3rem}
      form{display:flex;flex-wrap:wrap;gap:.75rem;margin-top:1.25rem}
      button,input{font:inherit;padding:.6rem 1rem;border-radius:.4rem;border:1px solid var(--edge)}
      button{cursor:pointer;background:var(--surface);color:var(--text);flex:1 1 12rem}
      button.main{background:var(--accent);color:var(--on-accent);border-color:var(--accent)}
      input{width:100%;margin-top:.35rem;background:var(--ground);color:var(--text)}
      label{width:100%}
      :focus-visible{outline:2px solid var(--accent);outline-offset:2px}
      a{color:var(--accent)}
      details{margin-top:1.25rem}
      summary{cursor:pointer;color:var(--dim)}
      @media (max-width:38rem){main{margin:0;border:0;border-radius:0;min-height:100vh}}
      """;

  /** Our style alone; no script, no frame, and a form that leads nowhere else. */
  public static final String POLICY =
      "default-src 'none'; style-src 'sha256-"
          + Base64.getEncoder().encodeToString(Sha256.of(STYLE.getBytes(StandardCharsets.UTF_8)))
          + "'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

  private HtmlPage() {}

  /** Any text as text of HTML and of an attribute in quotes; what is invisible is shown. */
  public static String escaped(String text) {
    return Printable.line(text)
        .replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;")
        .replace("'", "&#39;");
  }

  /**
   * A whole page.
   *
   * @param main markup, in which each text that is not ours is {@link #escaped}
   */
  public static String of(String title, String main) {
    return page("", title, main);
  }

  private static String page(String head, String title, String main) {
    return "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">"
        + "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
        + head
        + "<title>"
        + escaped(title)
        + "</title><style>"
        + STYLE
        + "</style></head><body><main><h1>"
        + escaped(title)
        + "</h1>"
        + main
        + "</main></body></html>\n";
  }

  /** A message, for an end without a way on. */
  public static String message(String title, String text) {
    return of(title, "<p>" + escaped(text) + "</p>");
  }

  /** A description of a failure as a sentence; a name at its beginning stays as it is. */
  public static String sentence(String text) {
    String word = text.substring(0, Math.max(1, text.indexOf(' ')));
    boolean name = word.equals("mcpbus") || word.indexOf('_') >= 0;
    return (name ? text : text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1)) + ".";
  }

  /**
   * Leads on to a place that was checked: by the page itself and not by a redirect, which the
   * policy for forms would stop after a form.
   */
  public static String leaving(String title, String url) {
    String target = escaped(url.replace("'", "%27").replace("\"", "%22").replace(" ", "%20"));
    return page(
        "<meta http-equiv=\"refresh\" content=\"0;url=" + target + "\">",
        title,
        "<p>If nothing happens, <a rel=\"noreferrer\" href=\""
            + target
            + "\">go on by this link</a>.</p>");
  }

  /**
   * Ends a response with a page; the other {@link SecurityHeaders} are set before. Browsers name
   * the origin of a form only where the page may be told to its own origin; no other site learns of
   * it.
   */
  public static void send(HttpServerResponse response, int status, String page) {
    response
        .setStatusCode(status)
        .putHeader("Content-Type", "text/html; charset=utf-8")
        .putHeader("Content-Security-Policy", POLICY)
        .putHeader("X-Frame-Options", "DENY")
        // The request of a form then names its origin; no other site learns of the page.
        .putHeader("Referrer-Policy", "same-origin")
        .putHeader("Cross-Origin-Opener-Policy", "same-origin")
        .putHeader("Cross-Origin-Resource-Policy", "same-origin")
        .end(page);
  }
}
