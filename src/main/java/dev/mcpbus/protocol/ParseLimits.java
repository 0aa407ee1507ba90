package dev.mcpbus.protocol;

/**
 * Bounds on one JSON text; the parser applies them before it keeps anything of the text.
 *
 * @param maxBytes longest message in bytes, default 16 MiB
 * @param maxDepth deepest nesting of objects and arrays, default 512
 * @param maxNumberLength longest number literal in bytes, default 1,000
 */
@PublicApi
public record ParseLimits(int maxBytes, int maxDepth, int maxNumberLength) {

  public static final ParseLimits DEFAULT = new ParseLimits(16 * 1024 * 1024, 512, 1_000);

  /** For values that were checked before, with any limits; the depth is what the stack allows. */
  static final ParseLimits CHECKED = new ParseLimits(Integer.MAX_VALUE, 10_000, Integer.MAX_VALUE);

  public ParseLimits {
    if (maxBytes < 1 || maxDepth < 1 || maxNumberLength < 1) {
      throw new IllegalArgumentException("parse limits must be positive");
    }
  }

  public ParseLimits withMaxBytes(int bytes) {
    return new ParseLimits(bytes, maxDepth, maxNumberLength);
  }
}
