package io.convoke.server.meetings;

import io.convoke.server.http.Problem;
import java.util.Optional;

/**
 * Which meeting a request means, from an id, an address, or both.
 *
 * @param nativeId in its one spelling
 * @param url where to join, if the user gave an address
 * @param passcode what the address carries
 */
public record MeetingChoice(String nativeId, Optional<String> url, Optional<String> passcode) {

  /**
   * The meeting that is meant.
   *
   * @throws Problem 400 without both, with an address that bots may not be sent to, or when the two
   *     name different meetings
   */
  public static MeetingChoice of(
      String platform, Optional<String> id, Optional<String> url, MeetingHosts hosts) {
    Optional<MeetingLink> link = url.map(text -> allowed(platform, text, hosts));
    Optional<String> named = id.map(text -> MeetingName.canonical(platform, text));
    Optional<String> inUrl = link.flatMap(it -> MeetingName.inAddress(platform, it));
    boolean own = link.filter(it -> MeetingHosts.ofPlatform(platform, it)).isPresent();
    if (own
        && named.isPresent()
        && inUrl.filter(it -> MeetingName.disagree(platform, named.get(), it)).isPresent()) {
      throw Problem.badRequest(
          "meeting_url", "names another meeting than native_meeting_id: " + inUrl.get());
    }
    // An address in place of the id is where to join, unless the user said where.
    Optional<MeetingLink> join =
        link.or(
            () ->
                id.flatMap(text -> MeetingName.address(platform, text.strip()))
                    .filter(it -> MeetingHosts.ofPlatform(platform, it)));
    return new MeetingChoice(
        named.or(() -> inUrl).orElseThrow(() -> missing(link.isPresent())),
        join.map(MeetingLink::text),
        join.flatMap(it -> MeetingName.passcode(platform, it)));
  }

  private static MeetingLink allowed(String platform, String url, MeetingHosts hosts) {
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
        withUrl ? "is needed: meeting_url does not tell it" : "or meeting_url is needed");
  }
}
