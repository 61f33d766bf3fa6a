package io.convoke.server.meetings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Allowed hosts: the platform's own and those that the operator lists. */
class AllowedMeetingHostsTest {
  /** As long as a name can be in DNS, 253 characters. */
  private static final String LONGEST = ("a".repeat(63) + ".").repeat(3) + "a".repeat(61);

  @ParameterizedTest
  @CsvSource({
    "daily, https://acme.daily.co/standup",
    "daily, https://acme.daily.co./standup?t=abc#x",
    "daily, HTTPS://ACME.Daily.CO:443/standup",
    "google_meet, https://meet.google.com/abc-defg-hij?authuser=0",
    "zoom, https://zoom.us/j/123456789?pwd=x.1",
    "zoom, https://us02web.zoom.us/j/123456789",
    "zoom, https://zoomgov.com/j/123456789",
    "zoom, https://acme.zoomgov.com/j/123456789",
    "teams, https://teams.microsoft.com/l/meetup-join/19%3ameeting_x%40thread.v2/0",
    "teams, https://teams.live.com/meet/9312345678901?p=x",
    "teams, https://gov.teams.microsoft.us/l/meetup-join/19%3ameeting_x%40thread.v2/0",
    "teams, https://dod.teams.microsoft.us/l/meetup-join/19%3ameeting_x%40thread.v2/0",
  })
  void thePlatformsOwnHostsAreAllowed(String platform, String url) {
    assertThat(AllowedMeetingHosts.PLATFORMS.allows(platform, url)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://127.0.0.1:8080/",
        "http://169.254.169.254/latest/meta-data",
        "http://[::ffff:127.0.0.1]/",
        "https://[::1]/",
        "http://localhost/",
        "http://2130706433/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "ftp://meet.google.com/abc-defg-hij",
        "//meet.google.com/abc-defg-hij",
        "meet.google.com/abc-defg-hij",
        "http://meet.google.com/abc-defg-hij",
        "https://meet.google.com:8443/abc-defg-hij",
        "https://meet.google.com:80/abc-defg-hij",
        "https://meet.google.com:99999/abc-defg-hij",
        "https://meet.google.com:/abc-defg-hij",
        "https://meet.google.com@127.0.0.1/",
        "https://user@meet.google.com/abc-defg-hij",
        "https://user:secret@meet.google.com/abc-defg-hij",
        "https://127.0.0.1\\@meet.google.com/",
        "https://meet.google.com\\@127.0.0.1/",
        "https://meet.google.com%2f@127.0.0.1/",
        "https://meet.google.com.evil.example/abc-defg-hij",
        "https://evilmeet.google.com/abc-defg-hij",
        "https://meet.google.com..evil/",
        "https://meet.google.com../abc-defg-hij",
        "https://me\u0435t.google.com/abc-defg-hij",
        "https://meet\u3002google\u3002com/abc-defg-hij",
        "https://xn--met-ped.google.com/abc-defg-hij",
        "https://meet.google.com/abc defg",
        "https://acme.daily.co/standup",
        "https://",
        "https:///abc",
        "",
      })
  void everyOtherHostIsRefused(String url) {
    assertThat(AllowedMeetingHosts.PLATFORMS.allows("google_meet", url)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://daily.co/standup",
        "https://.daily.co/standup",
        "https://evildaily.co/standup",
        "https://acme.daily.co.evil.example/standup",
      })
  void aDomainIsMeantWithItsDot(String url) {
    assertThat(AllowedMeetingHosts.PLATFORMS.allows("daily", url)).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "zoom, https://evilzoom.us/j/123456789",
    "zoom, https://zoom.us.evil.example/j/123456789",
    "zoom, https://evilzoomgov.com/j/123456789",
    "zoom, https://zoomgov.com.evil.example/j/123456789",
    "zoom, https://teams.live.com/meet/9312345678901",
    "teams, https://zoom.us/j/123456789",
    "teams, https://evil.teams.microsoft.com/meet/9312345678901",
    "teams, https://teams.microsoft.us/meet/9312345678901",
    "janus, https://meet.google.com/abc-defg-hij",
  })
  void everyPlatformRefusesTheHostsOfOthers(String platform, String url) {
    assertThat(AllowedMeetingHosts.PLATFORMS.allows(platform, url)).isFalse();
  }

  @Test
  void aListedHostHasANameThatDnsAllowsAndAPortThatExists() {
    AllowedMeetingHosts hosts =
        AllowedMeetingHosts.listed(LONGEST + ",first.example:1,last.example:65535");
    assertThat(hosts.allows("zoom", "https://" + LONGEST + "/j/1")).isTrue();
    assertThat(hosts.allows("zoom", "https://first.example:1/j/1")).isTrue();
    assertThat(hosts.allows("zoom", "https://first.example:2/j/1")).isFalse();
    assertThat(hosts.allows("zoom", "https://last.example:65535/j/1")).isTrue();
  }

  static Stream<String> unlistable() {
    return Stream.of(
        LONGEST + "a",
        "a".repeat(64) + ".example",
        "rooms.internal:0",
        "rooms.internal:65536",
        "rooms.internal:",
        "rooms.internal:-1",
        ":8080",
        "*.[::1]",
        "-a.example",
        "");
  }

  @ParameterizedTest
  @MethodSource("unlistable")
  void whatIsNoHostCannotBeListed(String text) {
    assertThatThrownBy(() -> AllowedMeetingHosts.listed(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("comma separated");
  }

  @Test
  void whatTheOperatorListsMayBePrivateAndByHttp() {
    AllowedMeetingHosts hosts =
        AllowedMeetingHosts.listed("127.0.0.1:8090, rooms.internal,*.Example.org, [::1]:9000");

    assertThat(hosts.allows("daily", "http://127.0.0.1:8090/rooms/a")).isTrue();
    assertThat(hosts.allows("daily", "http://127.0.0.1:8091/rooms/a")).isFalse();
    assertThat(hosts.allows("daily", "http://127.0.0.1/rooms/a")).isFalse();
    assertThat(hosts.allows("zoom", "http://ROOMS.internal.:7000/j/1")).isTrue();
    assertThat(hosts.allows("zoom", "https://rooms.internal/j/1")).isTrue();
    assertThat(hosts.allows("teams", "https://meet.example.org/x")).isTrue();
    assertThat(hosts.allows("teams", "https://a.b.example.org/x")).isTrue();
    assertThat(hosts.allows("teams", "https://example.org/x")).isFalse();
    assertThat(hosts.allows("teams", "https://evilexample.org/x")).isFalse();
    assertThat(hosts.allows("daily", "http://[::1]:9000/x")).isTrue();
    assertThat(hosts.allows("daily", "http://[::ffff:127.0.0.1]:8090/x")).isFalse();
    assertThat(hosts.allows("daily", "http://user@127.0.0.1:8090/x")).isFalse();
    assertThat(hosts.allows("daily", "https://acme.daily.co/standup")).isTrue();
  }
}
