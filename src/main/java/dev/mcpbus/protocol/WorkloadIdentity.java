package dev.mcpbus.protocol;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The JWT by which a platform vouches for this process (SEP-1933). Exactly one of both is given.
 *
 * @param token the JWT itself, or null
 * @param tokenFile a file that is read again for every token request, because the platform replaces
 *     it, or null
 */
public record WorkloadIdentity(@Nullable Sensitive token, @Nullable Path tokenFile) {

  /** Omits the JWT. */
  @Override
  public String toString() {
    return "workloadIdentity[" + (tokenFile == null ? "token" : tokenFile) + "]";
  }
}
