package io.convoke.server.meetings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.server.http.Problem;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** All spellings of a meeting have one id. */
class MeetingIdNormalizerTest {
  private static final String THREAD = "19:meeting_NjAxZ@thread.v2";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "abc-defg-hij",
        "ABC-DEFG-HIJ",
        " Abc-Defg-Hij ",
        "abcdefghij",
        "https://meet.google.com/abc-defg-hij",
        "HTTPS://Meet.Google.COM/ABC-DEFG-HIJ/?authuser=1#x",
        "http://meet.google.com/abc-defg-hij",
        "meet.google.com/abc-defg-hij",
        "meet.google.com./abc-defg-hij",
      })
  void codesOfGoogleMeetIgnoreCase(String typed) {
    assertThat(MeetingIdNormalizer.canonical("google_meet", typed)).isEqualTo("abc-defg-hij");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1234567890",
        "123 456 7890",
        "123-456-7890",
        "123\u00a0456\u00a07890",
        "https://zoom.us/j/1234567890?pwd=secret.1#success",
        "https://us02web.zoom.us/j/1234567890",
        "https://zoom.us/s/1234567890",
        "https://zoom.us/w/1234567890?tk=x",
        "https://app.zoom.us/wc/1234567890/join?pwd=x",
        "https://zoom.us/wc/join/1234567890",
        "https://zoom.us/j/123%20456%207890",
        "zoom.us/j/1234567890",
      })
  void numbersOfZoom(String typed) {
    assertThat(MeetingIdNormalizer.canonical("zoom", typed)).isEqualTo("1234567890");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        THREAD,
        "19%3ameeting_NjAxZ%40thread.v2",
        "https://teams.microsoft.com/l/meetup-join/19%3ameeting_NjAxZ%40thread.v2/0?context=%7b%7d",
        "https://teams.microsoft.com/l/meetup-join/19:meeting_NjAxZ@thread.v2/0",
        "https://teams.microsoft.com/meetup-join/19:meeting_NjAxZ@thread.v2/0",
        "https://teams.microsoft.com/_#/l/meetup-join/19%3ameeting_NjAxZ%40thread.v2/0",
        "https://teams.microsoft.com/v2/?meetingjoin=true#/l/meetup-join/19:meeting_NjAxZ@thread.v2/0?anon=true",
        "https://teams.microsoft.com/dl/launcher/launcher.html?url=%2F_%23%2Fl%2Fmeetup-join%2F19%3Ameeting_NjAxZ%40thread.v2%2F0%3Fcontext%3D%257b%257d&type=meetup-join",
      })
  void threadsOfTeams(String typed) {
    assertThat(MeetingIdNormalizer.canonical("teams", typed)).isEqualTo(THREAD);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "212 345 678 901",
        "212345678901",
        "https://teams.live.com/meet/212345678901?p=x",
        "https://teams.microsoft.com/meet/212345678901?p=x",
        "https://teams.live.com/v2/?meetingjoin=true#/meet/212345678901?p=x&anon=true",
        "https://teams.live.com/dl/launcher/launcher.html?url=%2F_%23%2Fmeet%2F212345678901%3Fp%3Dx&type=meet",
      })
  void numbersOfTeams(String typed) {
    assertThat(MeetingIdNormalizer.canonical("teams", typed)).isEqualTo("212345678901");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Standup",
        "https://acme.daily.co/Standup",
        "https://ACME.daily.co/Standup/?t=token#x",
        "acme.daily.co/Standup",
      })
  void roomsOfDailyKeepTheirCase(String typed) {
    assertThat(MeetingIdNormalizer.canonical("daily", typed)).isEqualTo("Standup");
  }

  @ParameterizedTest
  @CsvSource({
    "google_meet, https://meet.google.com/standup, standup",
    "google_meet, https://meet.google.com/lookup/standup, lookup/standup",
    "zoom, https://zoom.us/my/ada.lovelace, my/ada.lovelace",
  })
  void namesThatUsersGaveAMeeting(String platform, String typed, String expected) {
    assertThat(MeetingIdNormalizer.canonical(platform, typed)).isEqualTo(expected);
  }

  @Test
  void aNameInAnAddressHas255CharactersAtMost() {
    String address = "https://meet.google.com/";
    String longest = "x".repeat(255);
    assertThat(MeetingIdNormalizer.canonical("google_meet", address + longest)).isEqualTo(longest);
    String longer = address + longest + "x";
    assertThat(MeetingIdNormalizer.canonical("google_meet", longer)).isEqualTo(longer);
  }

  @ParameterizedTest
  @CsvSource({
    "google_meet, standup",
    "google_meet, https://example.org/abc-defg-hij",
    "google_meet, https://meet.google.com/new",
    "google_meet, https://meet.google.com/a%00b",
    "google_meet, https://meet.google.com/lookup/standup/x",
    "zoom, 12345",
    "zoom, room-1",
    "zoom, https://zoom.us/profile",
    "zoom, https://zoom.us/rec/share/1234567890",
    "teams, standup",
    "teams, https://teams.microsoft.com/l/meetup-join",
    "teams, https://teams.microsoft.com/l/file?url=%2Fmeet%2F212345678901",
    "daily, a room",
    "teams, https://teams.microsoft.com/dl/launcher/launcher.html",
    "teams, https://teams.microsoft.com/dl/launcher/launcher.html?url=https%3A%2F%2Fx.org%2Fmeet%2F212345678901",
    "teams, https://teams.microsoft.com/dl/launcher/launcher.html?url=.x.org%2Fmeet%2F212345678901",
    "daily, https://acme.daily.co/",
    "daily, https://acme.daily.co/a%00b",
    "daily, https://acme.daily.co/..%2Freview",
    "daily, https://acme.daily.co/review/.",
    "daily, https://acme.daily.co/review/%2e",
    "daily, https://acme.daily.co/rooms/review",
    "daily, https://acme.daily.co/standup/%2E%2E/review",
    "daily, http://127.0.0.1/x",
    "daily, abc-defg-hij",
  })
  void whatHasNoFormOfThePlatformStaysAsItIs(String platform, String typed) {
    assertThat(MeetingIdNormalizer.canonical(platform, typed)).isEqualTo(typed);
  }

  @Test
  void anotherNameAndTheIdInTheAddressAreOneMeeting() {
    MeetingSelector named =
        choice("zoom", Optional.of("team-sync"), Optional.of("https://zoom.us/j/1234567890"));
    assertThat(named.nativeId()).isEqualTo("team-sync");
    assertThat(named.key()).contains("1234567890");
    assertThat(choice("zoom", Optional.of("1234567890"), named.url()).key()).isEmpty();
  }

  @Test
  void thePasscodeOfAnInnerAddressIsFound() {
    assertThat(
            choice(
                    "teams",
                    Optional.empty(),
                    Optional.of(
                        "https://teams.live.com/v2/?meetingjoin=true#/meet/212345678901?p=x1&anon=true"))
                .passcode())
        .contains("x1");
  }

  @Test
  void anAddressAloneIsEnough() {
    MeetingSelector choice =
        choice(
            "zoom", Optional.empty(), Optional.of("https://ACME.zoom.us/j/1234567890?pwd=a%2Bb.1"));

    assertThat(choice.nativeId()).isEqualTo("1234567890");
    assertThat(choice.url()).contains("https://acme.zoom.us/j/1234567890?pwd=a%2Bb.1");
    assertThat(choice.passcode()).contains("a+b.1");
  }

  @Test
  void anAddressInPlaceOfTheIdIsWhereToJoin() {
    MeetingSelector choice =
        choice(
            "teams",
            Optional.of("https://teams.live.com/meet/9312345678901?p=x"),
            Optional.empty());

    assertThat(choice.nativeId()).isEqualTo("9312345678901");
    assertThat(choice.url()).contains("https://teams.live.com/meet/9312345678901?p=x");
    assertThat(choice.passcode()).contains("x");
  }

  @ParameterizedTest
  @CsvSource({
    "google_meet, abc-defg-hij, https://meet.google.com/abc-defg-hik",
    "zoom, 123 456 7890, https://zoom.us/j/1234567891",
    "teams, 212345678901, https://teams.live.com/meet/212345678902",
    "daily, standup, https://acme.daily.co/review",
  })
  void anIdAndAnAddressOfDifferentMeetingsAreRefused(String platform, String id, String url) {
    assertThatThrownBy(() -> choice(platform, Optional.of(id), Optional.of(url)))
        .isInstanceOf(Problem.class)
        .hasMessageContaining("meeting_url names another meeting");
  }

  /** A browser resolves dots, and a host of the operator's may be a domain of Daily's. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://rooms.acme.com/review",
        "https://rooms.acme.com/rooms/review",
        "https://rooms.acme.com/review/standup",
        "https://rooms.acme.com/",
        "https://acme.daily.co/",
        "https://acme.daily.co/review/.",
        "https://acme.daily.co/review/%2e",
        "https://acme.daily.co/review/x/..",
        "https://acme.daily.co/review/standup",
        "https://acme.daily.co/standup/../review",
        "https://acme.daily.co/..%2Freview",
      })
  void anAddressThatIsNotOfTheRoomIsRefused(String url) {
    AllowedMeetingHosts hosts = AllowedMeetingHosts.listed("rooms.acme.com");
    assertThatThrownBy(
            () -> MeetingSelector.of("daily", Optional.of("standup"), Optional.of(url), hosts))
        .isInstanceOf(Problem.class)
        .hasMessageContaining("meeting_url names");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://rooms.acme.com/standup",
        "https://rooms.acme.com/rooms/standup/",
        "https://acme.daily.co/standup?t=x",
      })
  void anAddressOfTheRoomGoesAhead(String url) {
    AllowedMeetingHosts hosts = AllowedMeetingHosts.listed("rooms.acme.com");
    assertThat(
            MeetingSelector.of("daily", Optional.of("standup"), Optional.of(url), hosts).nativeId())
        .isEqualTo("standup");
  }

  @ParameterizedTest
  @CsvSource({
    "google_meet, ABC-DEFG-HIJ, https://meet.google.com/abc-defg-hij, abc-defg-hij",
    "google_meet, standup, https://meet.google.com/abc-defg-hij, standup",
    "teams, 212345678901, https://teams.microsoft.com/l/meetup-join/19%3ax%40thread.v2/0,"
        + " 212345678901",
    "zoom, 1234567890, https://acme.zoom.us/my/ada, 1234567890",
  })
  void anIdThatMayBeOfTheSameMeetingGoesAhead(
      String platform, String id, String url, String expected) {
    assertThat(choice(platform, Optional.of(id), Optional.of(url)).nativeId()).isEqualTo(expected);
  }

  @Test
  void aMeetingNeedsAName() {
    assertThatThrownBy(() -> choice("zoom", Optional.empty(), Optional.empty()))
        .hasMessageContaining("native_meeting_id or meeting_url is needed");
    assertThatThrownBy(
            () -> choice("zoom", Optional.empty(), Optional.of("https://zoom.us/profile")))
        .hasMessageContaining("native_meeting_id is required");
  }

  private static MeetingSelector choice(
      String platform, Optional<String> id, Optional<String> url) {
    return MeetingSelector.of(platform, id, url, AllowedMeetingHosts.PLATFORMS);
  }
}
