package io.convoke.server.webhooks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Allowed addresses of webhooks, and the retry schedule. */
class SsrfGuardTest {
  private static final java.util.Optional<Long> NO_USER = java.util.Optional.empty();

  private static InetAddress ip(String literal) {
    try {
      return InetAddress.getByName(literal);
    } catch (java.net.UnknownHostException e) {
      throw new IllegalArgumentException(e);
    }
  }

  @Test
  void privateAddressesAreRefusedInWhateverWayTheyAreWritten() {
    for (String literal :
        List.of(
            "127.0.0.1",
            "127.8.8.8",
            "10.1.2.3",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "0.0.0.0",
            "0.1.2.3",
            "224.0.0.1",
            "255.255.255.255",
            "198.18.0.1",
            "192.0.2.1",
            "203.0.113.9",
            "::1",
            "::",
            "fe80::1",
            "fec0::1",
            "::127.0.0.1",
            "fc00::1",
            "fd12::3",
            "ff02::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b::a00:1",
            "2002:7f00:1::",
            "64:ff9b:1::808:808",
            "64:ff9b:1:a00:0:100:808:808",
            "1fff::1",
            "4000::1",
            "2001:db8::1",
            "2001:db8:ffff::1",
            "2001::1",
            "2001:1ff::1")) {
      assertThat(SsrfGuard.isPublic(ip(literal))).as(literal).isFalse();
    }
    for (String literal :
        List.of(
            "8.8.8.8",
            "172.32.0.1",
            "100.128.0.1",
            "2606:4700::1111",
            "2001:200::1",
            "2001:db7::1",
            "2001:db9::1")) {
      assertThat(SsrfGuard.isPublic(ip(literal))).as(literal).isTrue();
    }
  }

  /** An IPv4 address as it is, behind NAT64 and behind 6to4. */
  private static List<InetAddress> waysTo(String literal) {
    String hex = HexFormat.of().formatHex(ip(literal).getAddress());
    String sixToFour = "2002:" + hex.substring(0, 4) + ":" + hex.substring(4) + "::1";
    return List.of(ip(literal), ip("64:ff9b::" + literal), ip(sixToFour));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0.0.0.0", "0.255.255.255",
        "10.0.0.0", "10.255.255.255",
        "100.64.0.0", "100.127.255.255",
        "127.0.0.0", "127.255.255.255",
        "169.254.0.0", "169.254.255.255",
        "172.16.0.0", "172.31.255.255",
        "192.0.0.0", "192.0.0.255",
        "192.0.2.0", "192.0.2.255",
        "192.88.99.0", "192.88.99.255",
        "192.168.0.0", "192.168.255.255",
        "198.18.0.0", "198.19.255.255",
        "198.51.100.0", "198.51.100.255",
        "203.0.113.0", "203.0.113.255",
        "224.0.0.0", "255.255.255.255",
      })
  void aRangeThatIsNotPublicIsRefusedFromItsFirstToItsLastAddress(String literal) {
    assertThat(waysTo(literal)).noneMatch(SsrfGuard::isPublic);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1.0.0.0", "9.255.255.255",
        "11.0.0.0", "100.63.255.255",
        "100.128.0.0", "126.255.255.255",
        "128.0.0.0", "169.253.255.255",
        "169.255.0.0", "172.15.255.255",
        "172.32.0.0", "191.255.255.255",
        "192.0.1.0", "192.0.1.255",
        "192.0.3.0", "192.88.98.255",
        "192.88.100.0", "192.167.255.255",
        "192.169.0.0", "198.17.255.255",
        "198.20.0.0", "198.51.99.255",
        "198.51.101.0", "203.0.112.255",
        "203.0.114.0", "223.255.255.255",
      })
  void betweenThoseRangesTheFirstAndTheLastAddressArePublic(String literal) {
    assertThat(waysTo(literal)).allMatch(SsrfGuard::isPublic);
  }

  @Test
  void aNameThatAlsoMeansAPrivateAddressIsRefused() throws Exception {
    SsrfGuard.AddressResolver both = (user, host) -> List.of(ip("8.8.8.8"), ip("10.0.0.1"));
    assertThatThrownBy(() -> new SsrfGuard(false, both).of(NO_USER, "rebind.example"))
        .isInstanceOf(SsrfGuard.AddressRefused.class);
    assertThat(new SsrfGuard(true, both).of(NO_USER, "rebind.example")).isEqualTo(ip("8.8.8.8"));
    SsrfGuard.AddressResolver open = (user, host) -> List.of(ip("8.8.8.8"), ip("8.8.4.4"));
    assertThat(new SsrfGuard(false, open).of(NO_USER, "dns.example")).isEqualTo(ip("8.8.8.8"));
  }

  @Test
  void addressesOfUsersAreLookedAt() {
    assertThat(WebhookUrls.fault("https://example.org/hook?a=b")).isEmpty();
    assertThat(WebhookUrls.fault("https://user:pass@example.org/")).isPresent();
    assertThat(WebhookUrls.fault("https:///nohost")).isPresent();
    assertThat(WebhookUrls.fault("https://example.org/#top")).isPresent();
    assertThat(WebhookUrls.fault("https://example.org/ü")).isPresent();
    assertThat(WebhookUrls.bareHost(java.net.URI.create("http://[::1]:8080/"))).isEqualTo("::1");
  }

  @Test
  void aFailureIsTriedAgainForThreeDays() {
    java.time.Duration since = java.time.Duration.ZERO;
    int attempts = 1;
    java.util.Optional<java.time.Duration> pause = DeliveryRetrySchedule.after(1, since, 0);
    assertThat(pause).contains(java.time.Duration.ofSeconds(5));
    while (pause.isPresent()) {
      since = since.plus(pause.get());
      attempts++;
      pause = DeliveryRetrySchedule.after(attempts, since, 0.5);
    }
    assertThat(since).isEqualTo(java.time.Duration.ofDays(3));
    assertThat(attempts).isBetween(15, 25);
  }
}
