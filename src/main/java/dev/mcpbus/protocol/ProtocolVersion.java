package dev.mcpbus.protocol;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The MCP versions that mcpbus supports, oldest first, so that {@code compareTo} orders them by
 * age.
 */
@PublicApi
public enum ProtocolVersion {
  V2024_11_05("2024-11-05", Era.INITIALIZE),
  V2025_03_26("2025-03-26", Era.INITIALIZE),
  V2025_06_18("2025-06-18", Era.INITIALIZE),
  V2025_11_25("2025-11-25", Era.INITIALIZE),
  V2026_07_28("2026-07-28", Era.DISCOVER);

  /** The newest version of the {@code initialize} era; mcpbus offers it first. */
  public static final ProtocolVersion LATEST_INITIALIZE = V2025_11_25;

  /** The newest version of the {@code discover} era. */
  public static final ProtocolVersion LATEST_DISCOVER = V2026_07_28;

  private final String wire;
  private final Era era;

  ProtocolVersion(String wire, Era era) {
    this.wire = wire;
    this.era = era;
  }

  /** The version as written in messages and headers. */
  public String wire() {
    return wire;
  }

  public Era era() {
    return era;
  }

  private static final Map<String, Optional<ProtocolVersion>> BY_WIRE =
      Arrays.stream(values()).collect(Collectors.toMap(ProtocolVersion::wire, Optional::of));

  public static Optional<ProtocolVersion> ofWire(String text) {
    return BY_WIRE.getOrDefault(text, Optional.empty());
  }

  /** Whether peers that have agreed on that version may send several messages in one array. */
  public static boolean hasBatches(String wire) {
    return wire.equals(V2025_03_26.wire);
  }

  /** All versions as written on the wire, oldest first. */
  public static List<String> supported() {
    return Arrays.stream(values()).map(ProtocolVersion::wire).toList();
  }
}
