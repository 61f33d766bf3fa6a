package io.convoke.server.meetings;

import io.convoke.server.http.Problem;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The meeting of a request, from an id, a URL, or both.
 *
 * @param nativeId in canonical form
 * @param url to join, if the user gave one
 * @param passcode from the URL
 * @param key the id that the platform's own URL names, if the user gave the meeting another one:
 *     both are one meeting
 */
public record MeetingSelector(
    String nativeId, Optional<String> url, Optional<String> passcode, Optional<String> key) {

  /** Where rooms have owners and a URL names its room: of whatever host, it is the named one. */
  private static final String OF_OWNERS = "daily";

  /**
   * Resolves the meeting.
   *
   * @throws Problem 400 without both, with a URL that bots may not open, when the two name
   *     different meetings, or with a URL that names no room of Daily
   */
  public static MeetingSelector of(
      String platform, Optional<String> id, Optional<String> url, AllowedMeetingHosts hosts) {
    Optional<MeetingLink> link = url.map(text -> allowed(platform, text, hosts));
    Optional<String> named = id.map(text -> canonical(platform, text, hosts));
    Optional<String> inUrl = link.flatMap(it -> MeetingIdNormalizer.inAddress(platform, it));
    boolean own = link.filter(it -> AllowedMeetingHosts.ofPlatform(platform, it)).isPresent();
    if ((own || platform.equals(OF_OWNERS))
        && named.isPresent()
        && inUrl
            .filter(it -> MeetingIdNormalizer.disagree(platform, named.get(), it))
            .isPresent()) {
      throw Problem.badRequest(
          "meeting_url", "names another meeting than native_meeting_id: " + inUrl.get());
    }
    // A URL in place of the id is the one to join, unless the user gave another.
    Optional<MeetingLink> join =
        link.or(
            () ->
                id.flatMap(
                    text ->
                        MeetingIdNormalizer.address(platform, text.strip())
                            .filter(it -> AllowedMeetingHosts.ofPlatform(platform, it))
                            .or(() -> listed(platform, text, hosts))));
    if (platform.equals(OF_OWNERS)
        && join.filter(it -> MeetingIdNormalizer.inAddress(platform, it).isEmpty()).isPresent()) {
      throw Problem.badRequest(
          link.isPresent() ? "meeting_url" : "native_meeting_id", "names no room of Daily");
    }
    String nativeId = named.or(() -> inUrl).orElseThrow(() -> missing(link.isPresent()));
    return new MeetingSelector(
        nativeId,
        join.map(MeetingLink::text),
        join.flatMap(it -> MeetingIdNormalizer.passcode(platform, it)),
        inUrl.filter(it -> own && !it.equals(nativeId)));
  }

  /** The ids under which this meeting may be known. */
  public List<String> ids() {
    return Stream.concat(Stream.of(nativeId), key.stream()).toList();
  }

  private static String canonical(String platform, String id, AllowedMeetingHosts hosts) {
    return listed(platform, id, hosts)
        .flatMap(link -> MeetingIdNormalizer.inAddress(platform, link))
        .orElseGet(() -> MeetingIdNormalizer.canonical(platform, id));
  }

  /** An address on a listed host in place of the id. */
  private static Optional<MeetingLink> listed(
      String platform, String id, AllowedMeetingHosts hosts) {
    return MeetingLink.parse(id.strip())
        .filter(link -> hosts.allows(platform, link))
        .filter(link -> MeetingIdNormalizer.inAddress(platform, link).isPresent());
  }

  private static MeetingLink allowed(String platform, String url, AllowedMeetingHosts hosts) {
    return MeetingLink.parse(url.strip())
        .filter(link -> hosts.allows(platform, link))
        .orElseThrow(
            () ->
                Problem.badRequest(
                    "meeting_url_refused",
                    "meeting_url",
                    "is not an https address of a host of " + platform + " or of a listed host"));
  }

  private static Problem missing(boolean withUrl) {
    return Problem.badRequest(
        "native_meeting_id",
        withUrl ? "is required: meeting_url does not contain it" : "or meeting_url is needed");
  }
}
