package io.convoke.server.http;

import io.helidon.common.socket.PeerInfo;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The address by which a client is counted. Behind proxies that we trust it is the last hop that is
 * none of them: what stands left of it in {@code X-Forwarded-For} may have been made up by the
 * client. IPv6 is counted by its /64, since one household has all of it.
 */
public final class ClientAddressResolver {
  private static final int NETWORK_BYTES = 8;
  private static final int MAX_HOPS = 32;

  private ClientAddressResolver() {}

  /** The client of a connection; empty if it came from a proxy that we trust. */
  public static Optional<String> unlessProxy(PeerInfo peer, TrustedProxies trusted) {
    return peer.address() instanceof InetSocketAddress address
            && address.getAddress() != null
            && !trusted.contains(address.getAddress())
        ? Optional.of(counted(address.getAddress()))
        : Optional.empty();
  }

  /**
   * The client behind a connection.
   *
   * @param forwardedFor the values of {@code X-Forwarded-For}, in their order
   * @param forwarded those of {@code Forwarded} (RFC 7239), which counts without the other
   */
  public static String of(
      SocketAddress peer,
      List<String> forwardedFor,
      List<String> forwarded,
      TrustedProxies trusted) {
    if (!(peer instanceof InetSocketAddress socket) || socket.getAddress() == null) {
      return "unknown";
    }
    InetAddress client = socket.getAddress();
    List<String> hops = forwardedFor.isEmpty() ? forNodes(forwarded) : split(forwardedFor);
    int most = Math.min(hops.size(), MAX_HOPS);
    for (int i = 1; i <= most && trusted.contains(client); i++) {
      Optional<InetAddress> before = address(hops.get(hops.size() - i));
      if (before.isEmpty()) {
        break;
      }
      client = before.get();
    }
    return counted(client);
  }

  private static List<String> split(List<String> values) {
    return values.stream()
        .flatMap(value -> Arrays.stream(value.split(",", -1)))
        .map(String::strip)
        .toList();
  }

  private static List<String> forNodes(List<String> values) {
    return split(values).stream()
        .map(
            element ->
                Arrays.stream(element.split(";", -1))
                    .map(String::strip)
                    .filter(pair -> pair.regionMatches(true, 0, "for=", 0, 4))
                    .map(pair -> pair.substring(4).replace("\"", ""))
                    .findFirst()
                    .orElse(""))
        .toList();
  }

  /** With or without a port: {@code 192.0.2.1:80}, {@code [2001:db8::1]:80}. */
  private static Optional<InetAddress> address(String hop) {
    String bare = hop;
    if (hop.startsWith("[")) {
      bare = hop.substring(1, Math.max(1, hop.indexOf(']')));
    } else if (hop.indexOf(':') > 0 && hop.indexOf(':') == hop.lastIndexOf(':')) {
      bare = hop.substring(0, hop.indexOf(':'));
    }
    try {
      return Optional.of(InetAddress.ofLiteral(bare));
    } catch (IllegalArgumentException _) {
      return Optional.empty();
    }
  }

  /** An address as text: whole, or the network of IPv6. */
  public static String counted(InetAddress address) {
    if (!(address instanceof Inet6Address)) {
      return address.getHostAddress();
    }
    byte[] network = Arrays.copyOf(address.getAddress(), NETWORK_BYTES);
    return java.util.HexFormat.of().formatHex(network) + "/64";
  }
}
