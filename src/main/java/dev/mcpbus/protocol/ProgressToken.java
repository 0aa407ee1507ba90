package dev.mcpbus.protocol;

/**
 * The progress token in {@code _meta} of a request's params (MCP 2025-11-25, Progress). Stateless.
 */
public final class ProgressToken {

  private ProgressToken() {}

  /**
   * The params without their progress token, for a receiver that does not know it; a {@code _meta}
   * that has nothing left is taken out, too.
   */
  public static RawJson removedFrom(RawJson params) {
    RawJson meta = params.member("_meta");
    if (meta == null || !meta.isObject() || meta.member(MetaKeys.PROGRESS_TOKEN) == null) {
      return params;
    }
    RawJson rest = meta.without(MetaKeys.PROGRESS_TOKEN);
    return rest.members().isEmpty() ? params.without("_meta") : params.with("_meta", rest);
  }
}
