package io.convoke.agent.pod;

import java.net.URI;

/** Settings that are the address of a server which the pod calls. */
public final class ServerUrl {
  private ServerUrl() {}

  /**
   * Reads the text of a setting. Java finds no host in a name with an underscore, and its HTTP
   * client calls no such address.
   *
   * @throws UsageException with a message for the operator
   */
  public static URI read(String setting, String text) {
    URI url = parsed(setting, text);
    if (url.getHost() == null) {
      throw new UsageException(
          setting
              + " must be a URL whose host is an address, or a name of letters, digits, dots and"
              + " dashes");
    }
    return url;
  }

  private static URI parsed(String setting, String text) {
    try {
      if (text.matches("https?://\\S+")) {
        return URI.create(text);
      }
    } catch (IllegalArgumentException e) {
      // Reported below, with the expected form.
    }
    throw new UsageException(setting + " must be a URL that begins with http:// or https://");
  }
}
