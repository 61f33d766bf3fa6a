package io.convoke.server.meetings;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The hosts that bots may be sent to. A bot runs on the operator's network and opens a URL from a
 * user, so only the platform's own hosts are allowed, by https on the usual port, and those that
 * the operator lists ({@code CONVOKE_MEETING_HOSTS}), which may be private and may speak http.
 */
public final class AllowedMeetingHosts {
  private static final Pattern IPV6 = Pattern.compile("\\[[0-9a-f:.]{2,45}]");
  private static final Pattern NAME =
      Pattern.compile("([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");

  private final List<AllowedHost> listed;

  private AllowedMeetingHosts(List<AllowedHost> listed) {
    this.listed = listed;
  }

  /**
   * A host, or all below a domain.
   *
   * @param below whether {@code name} stands for the subdomains of a domain, without the domain
   *     itself
   * @param port empty for every port
   */
  private record AllowedHost(String name, boolean below, Optional<Integer> port) {

    static AllowedHost of(String text) {
      int colon = text.endsWith("]") ? -1 : text.lastIndexOf(':');
      Optional<Integer> port =
          colon < 0 ? Optional.empty() : Optional.of(port(text.substring(colon + 1)));
      String host = colon < 0 ? text : text.substring(0, colon);
      boolean below = host.startsWith("*.");
      String name = below ? host.substring(2) : host;
      if (name.length() > 253
          || !(NAME.matcher(name).matches() || (!below && IPV6.matcher(name).matches()))) {
        throw new IllegalArgumentException(FORM);
      }
      return new AllowedHost(name, below, port);
    }

    private static int port(String text) {
      if (!text.matches("\\d{1,5}")
          || Integer.parseInt(text) < 1
          || Integer.parseInt(text) > 65535) {
        throw new IllegalArgumentException(FORM);
      }
      return Integer.parseInt(text);
    }

    boolean allows(MeetingLink link) {
      return (below ? link.host().endsWith("." + name) : link.host().equals(name))
          && port.filter(it -> it != link.effectivePort()).isEmpty();
    }
  }

  private static final String FORM =
      "hosts like meet.example.org, 10.0.0.7:8443 or *.example.org, comma separated";

  /** The platforms' own hosts and no others. */
  public static final AllowedMeetingHosts PLATFORMS = new AllowedMeetingHosts(List.of());

  /**
   * With those of a comma separated list.
   *
   * @throws IllegalArgumentException with what was expected
   */
  public static AllowedMeetingHosts listed(String text) {
    return new AllowedMeetingHosts(
        Arrays.stream(text.split(",", -1))
            .map(entry -> AllowedHost.of(entry.trim().toLowerCase(Locale.ROOT)))
            .toList());
  }

  /** Whether a bot may be sent to this address for a meeting of that platform. */
  public boolean allows(String platform, String url) {
    return MeetingLink.parse(url).filter(link -> allows(platform, link)).isPresent();
  }

  boolean allows(String platform, MeetingLink link) {
    return ofPlatform(platform, link)
        || listed.stream().anyMatch(allowedHost -> allowedHost.allows(link));
  }

  /** Whether it is the platform's own public host. */
  static boolean ofPlatform(String platform, MeetingLink link) {
    return link.secure() && link.port().isEmpty() && serves(platform, link.host());
  }

  /** Whether the platform holds meetings at this host, its governmental clouds included. */
  static boolean serves(String platform, String host) {
    return switch (platform) {
      case "daily" -> host.endsWith(".daily.co");
      case "google_meet" -> host.equals("meet.google.com");
      case "zoom" ->
          host.equals("zoom.us")
              || host.endsWith(".zoom.us")
              || host.equals("zoomgov.com")
              || host.endsWith(".zoomgov.com");
      case "teams" ->
          host.equals("teams.microsoft.com")
              || host.equals("teams.live.com")
              || host.equals("gov.teams.microsoft.us")
              || host.equals("dod.teams.microsoft.us");
      default -> false;
    };
  }
}
