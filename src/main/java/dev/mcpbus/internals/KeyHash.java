package dev.mcpbus.internals;

import java.nio.charset.StandardCharsets;

/**
 * The score of a place for a key in rendezvous hashing: the key goes to the place with the highest
 * score, so a place that is lost moves its own keys alone. Equal on all machines. Pure.
 */
public final class KeyHash {

  private KeyHash() {}

  /** FNV-1a over both names, then a finalizer that spreads the last bytes over all bits. */
  public static long of(String key, String place) {
    long hash = 0xcbf29ce484222325L;
    for (byte one : (key + '\0' + place).getBytes(StandardCharsets.UTF_8)) {
      hash = (hash ^ (one & 0xff)) * 0x100000001b3L;
    }
    hash = (hash ^ (hash >>> 30)) * 0xbf58476d1ce4e5b9L;
    hash = (hash ^ (hash >>> 27)) * 0x94d049bb133111ebL;
    return hash ^ (hash >>> 31);
  }
}
