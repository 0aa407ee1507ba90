package dev.mcpbus.security.oauth;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;

/** Decides which addresses belong to the public Internet. Only these may a server name freely. */
final class PublicAddressRule {

  private PublicAddressRule() {}

  /** False for loopback, link-local, private, shared, reserved and multicast addresses. */
  static boolean isPublic(InetAddress address) {
    if (address.isAnyLocalAddress()
        || address.isLoopbackAddress()
        || address.isLinkLocalAddress()
        || address.isSiteLocalAddress()
        || address.isMulticastAddress()) {
      return false;
    }
    byte[] bytes = address.getAddress();
    return address instanceof Inet4Address ? isPublic4(bytes) : isPublic6((Inet6Address) address);
  }

  private static boolean isPublic4(byte[] bytes) {
    int a = bytes[0] & 0xff;
    int b = bytes[1] & 0xff;
    int c = bytes[2] & 0xff;
    boolean shared = a == 100 && (b & 0xc0) == 64;
    boolean special = a == 192 && b == 0 && (c == 0 || c == 2);
    boolean benchmark = a == 198 && (b == 18 || b == 19);
    boolean documentation = (a == 198 && b == 51 && c == 100) || (a == 203 && b == 0 && c == 113);
    return a != 0 && a < 224 && !shared && !special && !benchmark && !documentation;
  }

  /** An address that embeds an IPv4 address is judged by that. */
  private static boolean isPublic6(Inet6Address address) {
    byte[] bytes = address.getAddress();
    boolean uniqueLocal = (bytes[0] & 0xfe) == 0xfc;
    boolean documentation =
        bytes[0] == 0x20 && bytes[1] == 0x01 && bytes[2] == 0x0d && bytes[3] == (byte) 0xb8;
    if (uniqueLocal || documentation) {
      return false;
    }
    if (bytes[0] == 0x20 && bytes[1] == 0x02) {
      return isPublicIpv4(Arrays.copyOfRange(bytes, 2, 6));
    }
    boolean nat64 = bytes[0] == 0 && bytes[1] == 0x64 && (bytes[2] & 0xff) == 0xff;
    boolean compatible = true;
    for (int i = 0; i < 12; i++) {
      compatible &= bytes[i] == 0;
    }
    if (nat64 || compatible) {
      return isPublicIpv4(Arrays.copyOfRange(bytes, 12, 16));
    }
    return (bytes[0] & 0xe0) == 0x20;
  }

  private static boolean isPublicIpv4(byte[] bytes) {
    try {
      return isPublic(InetAddress.getByAddress(bytes));
    } catch (UnknownHostException e) {
      return false;
    }
  }
}
