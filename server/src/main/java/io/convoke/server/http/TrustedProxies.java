package io.convoke.server.http;

import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;

/** The proxies that are trusted to report their clients' addresses. */
public final class TrustedProxies {
  /** None: every connection is a client's own. */
  public static final TrustedProxies NONE = new TrustedProxies(List.of());

  private static final class ProxyNetwork {
    private final byte[] address;
    private final int bits;

    ProxyNetwork(byte[] address, int bits) {
      this.address = address;
      this.bits = bits;
    }

    boolean contains(byte[] other) {
      if (other.length != address.length) {
        return false;
      }
      for (int bit = 0; bit < bits; bit++) {
        int mask = 0x80 >> (bit % 8);
        if (((address[bit / 8] ^ other[bit / 8]) & mask) != 0) {
          return false;
        }
      }
      return true;
    }
  }

  private final List<ProxyNetwork> networks;

  private TrustedProxies(List<ProxyNetwork> networks) {
    this.networks = networks;
  }

  /**
   * Reads addresses and networks, separated by commas: {@code 10.0.0.0/8, 2001:db8::1}.
   *
   * @throws IllegalArgumentException if one is neither
   */
  public static TrustedProxies parse(String text) {
    return text.isBlank()
        ? NONE
        : new TrustedProxies(
            Arrays.stream(text.split(",", -1))
                .map(String::strip)
                .map(TrustedProxies::one)
                .toList());
  }

  private static ProxyNetwork one(String text) {
    String[] parts = text.split("/", 2);
    byte[] address;
    int bits;
    try {
      address = InetAddress.ofLiteral(parts[0]).getAddress();
      bits = parts.length == 1 ? address.length * 8 : Integer.parseInt(parts[1]);
    } catch (IllegalArgumentException _) {
      throw new IllegalArgumentException("addresses or networks such as 10.0.0.0/8");
    }
    if (bits < 0 || bits > address.length * 8) {
      throw new IllegalArgumentException("addresses or networks such as 10.0.0.0/8");
    }
    return new ProxyNetwork(address, bits);
  }

  /** Whether this address is one of them. */
  public boolean contains(InetAddress address) {
    byte[] bytes = address.getAddress();
    return networks.stream().anyMatch(proxyNetwork -> proxyNetwork.contains(bytes));
  }
}
