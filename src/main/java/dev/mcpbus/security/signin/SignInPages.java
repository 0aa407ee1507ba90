package dev.mcpbus.security.signin;

import dev.mcpbus.security.HtmlPage;

/** What the pages of the sign-in ask a person; {@link HtmlPage} makes them. Stateless. */
final class SignInPages {

  private SignInPages() {}

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
        .append(HtmlPage.escaped(login.name()))
        .append("</strong>. ")
        .append(
            document.isEmpty()
                ? "mcpbus cannot check that name: any program may choose any."
                : "It is described by <strong>" + HtmlPage.escaped(document) + "</strong>.")
        .append("</p><dl><dt>It gets</dt><dd>your rights at <code>")
        .append(HtmlPage.escaped(login.resource()))
        .append("</code>: it calls tools and reads data as you</dd>");
    if (redirect == null) {
      main.append("<dt>Where it runs</dt><dd>on the device that shows the code <strong>")
          .append(HtmlPage.escaped(String.valueOf(login.userCode())))
          .append("</strong></dd>");
    } else {
      main.append("<dt>You are sent back to</dt><dd><strong>")
          .append(HtmlPage.escaped(RedirectUris.place(redirect)))
          .append("</strong><br><code>")
          .append(HtmlPage.escaped(redirect))
          .append("</code></dd>");
    }
    main.append("<dt>You log in at</dt><dd>")
        .append(HtmlPage.escaped(provider))
        .append("</dd></dl>");
    if (redirect == null) {
      main.append("<p class=\"warn\">Go on only if you started this login yourself, and the device")
          .append(
              " in front of you shows this code. Nobody else has a reason to send you here.</p>");
    } else if (RedirectUris.isLoopback(redirect)) {
      main.append("<p class=\"warn\">This is a program on this computer. Any program here can ask")
          .append(" under this name: go on only if you started this login yourself.</p>");
    } else {
      main.append("<p class=\"warn\">Go on only if you started this login yourself, and know ")
          .append(HtmlPage.escaped(RedirectUris.place(redirect)))
          .append(".</p>");
    }
    main.append("<form method=\"post\" action=\"/oauth/consent\">")
        .append("<input type=\"hidden\" name=\"request\" value=\"")
        .append(HtmlPage.escaped(sealed))
        .append("\"><button class=\"main\" name=\"answer\" value=\"allow\">Allow, and log in")
        .append("</button><button name=\"answer\" value=\"deny\">Cancel</button></form>");
    return HtmlPage.of("May this program act for you?", main.toString());
  }

  /**
   * Asks for the code that a device shows.
   *
   * @param problem with the code before; empty for none
   * @param code that the link names
   */
  static String device(String problem, String code) {
    return HtmlPage.of(
        "Log in on a device",
        (problem.isEmpty()
                ? ""
                : "<p class=\"warn\" role=\"alert\">" + HtmlPage.escaped(problem) + "</p>")
            + "<form method=\"post\" action=\"/oauth/device\"><label>The code that the device shows"
            + "<input name=\"user_code\" autocomplete=\"off\" autocapitalize=\"characters\""
            + " spellcheck=\"false\" maxlength=\"20\" required autofocus value=\""
            + HtmlPage.escaped(code)
            + "\"></label><button class=\"main\">Go on</button></form>");
  }
}
