package dev.mcpbus.security.signin;

import dev.mcpbus.protocol.Printable;
import dev.mcpbus.protocol.Sha256;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * The pages that a person sees: without scripts, without requests to anywhere. Every text that is
 * not ours is escaped. Stateless.
 */
final class SignInPages {

  private static final String STYLE =
      """
      :root{color-scheme:light dark;--ground:light-dark(#f6f7f6,#14181a);\
      --surface:light-dark(#fff,#1c2225);--line:light-dark(#d5dbd9,#364045);\
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
      .dim{color:var(--dim)}
      .warn{color:var(--warn);background:var(--warn-ground);border-left:4px solid currentColor;\
      padding:.6rem .9rem;border-radius:.3rem}
      form{display:flex;flex-wrap:wrap;gap:.75rem;margin-top:1.25rem}
      button,input{font:inherit;padding:.6rem 1rem;border-radius:.4rem;border:1px solid var(--line)}
      button{cursor:pointer;background:var(--surface);color:var(--text);flex:1 1 10rem}
      button.main{background:var(--accent);color:var(--on-accent);border-color:var(--accent)}
      input{width:100%;background:var(--ground);color:var(--text);letter-spacing:.1em}
      label{width:100%}
      :focus-visible{outline:2px solid var(--accent);outline-offset:2px}
      a{color:var(--accent)}
      @media (max-width:38rem){main{margin:0;border:0;border-radius:0;min-height:100vh}}
      """;

  /** Our style alone; no script, no frame, and a form that leads nowhere else. */
  static final String POLICY =
      "default-src 'none'; style-src 'sha256-"
          + Base64.getEncoder().encodeToString(Sha256.of(STYLE.getBytes(StandardCharsets.UTF_8)))
          + "'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

  private SignInPages() {}

  /** Any text as text of HTML and of an attribute in quotes; what is invisible is shown. */
  static String escaped(String text) {
    return Printable.line(text)
        .replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;")
        .replace("'", "&#39;");
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
  static String message(String title, String text) {
    return page("", title, "<p>" + escaped(text) + "</p>");
  }

  /**
   * Leads on to a place that was checked: by the page itself and not by a redirect, which {@code
   * form-action} would stop after a form.
   */
  static String leaving(String title, String url) {
    return page(
        "<meta http-equiv=\"refresh\" content=\"0;url=" + attribute(url) + "\">",
        title,
        "<p>If nothing happens, <a rel=\"noreferrer\" href=\""
            + attribute(url)
            + "\">go on by this link</a>.</p>");
  }

  /** A URL, whose quotes would end the one of a refresh. */
  private static String attribute(String url) {
    return escaped(url.replace("'", "%27").replace("\"", "%22").replace(" ", "%20"));
  }

  /**
   * Asks whether a program may act for the person.
   *
   * @param document the host that speaks for the program; empty where nobody does
   * @param provider the host at which the person logs in
   * @param sealed what is asked, for the form
   */
  static String consent(LoginRequest login, String document, String provider, String sealed) {
    String redirect = login.redirectUri();
    StringBuilder main = new StringBuilder();
    main.append("<p>The program calls itself <strong>")
        .append(escaped(login.name()))
        .append("</strong>. ")
        .append(
            document.isEmpty()
                ? "mcpbus cannot check that name: any program may choose any."
                : "It is described by <strong>" + escaped(document) + "</strong>.")
        .append("</p><dl><dt>It gets</dt><dd>your rights at <code>")
        .append(escaped(login.resource()))
        .append("</code>: it calls tools and reads data as you</dd>");
    if (redirect == null) {
      main.append("<dt>Where it runs</dt><dd>on the device that shows the code <code>")
          .append(escaped(String.valueOf(login.userCode())))
          .append("</code></dd>");
    } else {
      main.append("<dt>You are sent back to</dt><dd><strong>")
          .append(escaped(RedirectUris.place(redirect)))
          .append("</strong><br><code>")
          .append(escaped(redirect))
          .append("</code></dd>");
    }
    main.append("<dt>You log in at</dt><dd>").append(escaped(provider)).append("</dd></dl>");
    if (redirect == null) {
      main.append("<p class=\"warn\">Go on only if you started this login yourself, and the device")
          .append(
              " in front of you shows this code. Nobody else has a reason to send you here.</p>");
    } else if (RedirectUris.isLoopback(redirect)) {
      main.append("<p class=\"warn\">This is a program on this computer. Any program here can ask")
          .append(" under this name: go on only if you started this login yourself.</p>");
    } else {
      main.append("<p class=\"warn\">Go on only if you started this login yourself, and know ")
          .append(escaped(RedirectUris.place(redirect)))
          .append(".</p>");
    }
    main.append("<form method=\"post\" action=\"/oauth/consent\">")
        .append("<input type=\"hidden\" name=\"request\" value=\"")
        .append(escaped(sealed))
        .append("\"><button class=\"main\" name=\"answer\" value=\"allow\">Allow, and log in")
        .append("</button><button name=\"answer\" value=\"deny\">Cancel</button></form>");
    return page("", "May this program act for you?", main.toString());
  }

  /**
   * Asks for the code that a device shows.
   *
   * @param problem with the code before; empty for none
   * @param code that the link names
   */
  static String device(String problem, String code) {
    return page(
        "",
        "Log in on a device",
        (problem.isEmpty() ? "" : "<p class=\"warn\">" + escaped(problem) + "</p>")
            + "<form method=\"post\" action=\"/oauth/device\"><label>The code that the device shows"
            + "<input name=\"user_code\" autocomplete=\"off\" autocapitalize=\"characters\""
            + " spellcheck=\"false\" maxlength=\"20\" required value=\""
            + escaped(code)
            + "\"></label><button class=\"main\">Go on</button></form>");
  }
}
