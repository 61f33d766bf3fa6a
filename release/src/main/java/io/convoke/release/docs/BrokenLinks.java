package io.convoke.release.docs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Links of pages that lead nowhere: the site is not written. */
final class BrokenLinks extends IOException {
  private static final Pattern LINK = Pattern.compile("<(?:a|img)[^>]* (?:href|src)=\"([^\"]*)\"");
  private static final Pattern ANCHOR = Pattern.compile(" id=\"([^\"]+)\"");
  private static final Pattern OUTSIDE = Pattern.compile("^(https?://|mailto:)");

  private BrokenLinks(List<String> links) {
    super("links without a target:\n  " + String.join("\n  ", links));
  }

  /**
   * Checks the main parts of pages.
   *
   * @param files what else is in the site
   * @throws BrokenLinks names each link whose file or anchor is not there
   */
  static void check(Collection<SitePage> pages, Set<String> files) throws BrokenLinks {
    Map<String, Set<String>> anchors = new HashMap<>();
    for (SitePage page : pages) {
      Set<String> ids = new HashSet<>();
      ANCHOR.matcher(page.html()).results().forEach(match -> ids.add(match.group(1)));
      anchors.put(page.path(), ids);
    }
    List<String> broken = new ArrayList<>();
    for (SitePage page : pages) {
      Matcher links = LINK.matcher(page.html());
      while (links.find()) {
        String link = links.group(1);
        if (!OUTSIDE.matcher(link).find() && !leads(page, link, anchors, files)) {
          broken.add(page.path() + " -> " + link);
        }
      }
    }
    if (!broken.isEmpty()) {
      throw new BrokenLinks(broken);
    }
  }

  private static boolean leads(
      SitePage page, String link, Map<String, Set<String>> anchors, Set<String> files) {
    String[] parts = link.split("#", 2);
    String path = SitePaths.resolve(page.path(), parts[0]);
    Set<String> ids = anchors.get(path);
    if (ids == null) {
      return parts.length == 1 && files.contains(path);
    }
    return parts.length == 1 || ids.contains(parts[1]);
  }
}
