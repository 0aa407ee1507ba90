package dev.mcpbus.security.signin;

import dev.mcpbus.security.Principal;
import io.vertx.core.http.HttpServerRequest;
import org.jspecify.annotations.Nullable;

/**
 * The page of a link that is good for one principal alone. It sends a person to the sign-in with
 * {@link SignInHandler#prove}, and takes the person on who comes back, at whatever node. Used on
 * the context of the HTTP verticle.
 */
public interface LinkPage {

  /**
   * Answers the request with which the provider sent the browser back.
   *
   * @param ticket of the link
   * @param principal whom the provider has verified; null where the login was refused
   */
  void returned(HttpServerRequest request, String ticket, @Nullable Principal principal);
}
