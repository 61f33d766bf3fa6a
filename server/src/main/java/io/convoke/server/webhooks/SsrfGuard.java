package io.convoke.server.webhooks;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Restricts webhooks to public addresses, unless private ones are allowed, so that users cannot
 * reach loopback, the local network or the cloud's metadata service through this server (SSRF).
 */
final class SsrfGuard {
  /** The well-known prefix of NAT64 (RFC 6052): an IPv4 address follows. */
  private static final byte[] NAT64 = {0, 0x64, (byte) 0xff, (byte) 0x9b, 0, 0, 0, 0, 0, 0, 0, 0};

  private final boolean allowPrivate;
  private final AddressResolver addressResolver;

  /** Resolves host names; {@code user} is empty for operators' endpoints. */
  @FunctionalInterface
  interface AddressResolver {
    List<InetAddress> resolve(Optional<Long> user, String host)
        throws UnknownHostException, LookupRefused;
  }

  SsrfGuard(boolean allowPrivate, AddressResolver addressResolver) {
    this.allowPrivate = allowPrivate;
    this.addressResolver = addressResolver;
  }

  /** Thrown for a forbidden address. */
  static final class AddressRefused extends Exception {
    AddressRefused() {
      super("the address is private");
    }
  }

  /** Thrown when too many lookups are running; it says nothing about the host. */
  static final class LookupRefused extends Exception {
    LookupRefused() {
      super("too many DNS lookups are running");
    }
  }

  /**
   * The checked address to connect to; the name is not resolved again (DNS rebinding).
   *
   * @param user whose endpoint it is; empty for operators' endpoints
   * @throws AddressRefused if any address of the host is private
   */
  InetAddress of(Optional<Long> user, String host)
      throws UnknownHostException, AddressRefused, LookupRefused {
    List<InetAddress> all = addressResolver.resolve(user, host);
    for (InetAddress address : all) {
      if (!allowPrivate && !isPublic(address)) {
        throw new AddressRefused();
      }
    }
    return all.getFirst();
  }

  /** Whether the address is globally routable. */
  static boolean isPublic(InetAddress address) {
    byte[] bytes = address.getAddress();
    return address instanceof Inet6Address ? isPublic6(bytes) : isPublic4(bytes, 0);
  }

  /**
   * Outside of the ranges of RFC 6890: this host, private, shared, loopback, link-local, protocols,
   * documentation, relay, benchmark, multicast, future.
   */
  private static boolean isPublic4(byte[] bytes, int from) {
    int a = bytes[from] & 0xff;
    int b = bytes[from + 1] & 0xff;
    int c = bytes[from + 2] & 0xff;
    return !(a == 0
        || a == 10
        || a == 127
        || (a == 100 && b >= 64 && b < 128)
        || (a == 169 && b == 254)
        || (a == 172 && b >= 16 && b < 32)
        || (a == 192 && b == 0 && (c == 0 || c == 2))
        || (a == 192 && b == 88 && c == 99)
        || (a == 192 && b == 168)
        || (a == 198 && (b == 18 || b == 19))
        || (a == 198 && b == 51 && c == 100)
        || (a == 203 && b == 0 && c == 113)
        || a >= 224);
  }

  /** Global unicast only, without embedded IPv4 addresses that are not public. */
  private static boolean isPublic6(byte[] bytes) {
    int first = (bytes[0] & 0xff) << 8 | (bytes[1] & 0xff);
    if (first == 0x2002) {
      return isPublic4(bytes, 2);
    }
    if (Arrays.equals(bytes, 0, NAT64.length, NAT64, 0, NAT64.length)) {
      return isPublic4(bytes, NAT64.length);
    }
    int second = (bytes[2] & 0xff) << 8 | (bytes[3] & 0xff);
    boolean global = (first & 0xe000) == 0x2000;
    boolean special = first == 0x2001 && (second < 0x0200 || second == 0x0db8);
    return global && !special;
  }
}
