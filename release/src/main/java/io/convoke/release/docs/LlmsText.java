package io.convoke.release.docs;

import io.convoke.release.docs.PageLayout.NavigationGroup;
import io.convoke.release.docs.PageLayout.NavigationLink;
import io.convoke.release.docs.SitePage.PageSection;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The site for language models: {@code llms.txt} as llmstxt.org describes it, and all its text. */
final class LlmsText {
  /** What explains how Convoke came to be, which its users need not read. */
  private static final Set<String> OPTIONAL = Set.of("Decisions", "Results", "Specification");

  private static final String HEAD =
      """
      # Convoke

      > The open control plane for online meetings: it sends bots into meetings, knows who is in the
      > room, processes recordings, hands tasks to workers, and tells whether each meeting has
      > reached the CRM. One Java program on one Postgres and one Redis.
      """;

  private LlmsText() {}

  /** The index: each page with a sentence. */
  static String index(List<NavigationGroup> groups, Map<String, SitePage> pages) {
    StringBuilder text = new StringBuilder(HEAD);
    for (NavigationGroup group : groups) {
      text.append("\n## ").append(group.title());
      text.append(OPTIONAL.contains(group.title()) ? " (optional)" : "").append("\n\n");
      for (NavigationLink link : group.links()) {
        SitePage page = pages.get(link.path());
        text.append("- [").append(link.title()).append("](").append(link.path()).append(")");
        text.append(page == null ? "" : about(page)).append('\n');
      }
    }
    return text.toString();
  }

  private static String about(SitePage page) {
    return page.sections().stream()
        .map(PageSection::text)
        .filter(it -> !it.isBlank())
        .findFirst()
        .map(it -> ": " + it.split("(?<=[.:]) ", 2)[0])
        .orElse("");
  }

  /** The Markdown of the pages that are not optional, in the order of the navigation. */
  static String full(List<NavigationGroup> groups, Map<String, String> markdown) {
    StringBuilder text = new StringBuilder(HEAD);
    for (NavigationGroup group : groups) {
      if (!OPTIONAL.contains(group.title())) {
        for (NavigationLink link : group.links()) {
          String page = markdown.get(link.path());
          if (page != null) {
            text.append("\n---\n\nPage: ").append(link.path()).append("\n\n").append(page);
          }
        }
      }
    }
    return text.toString();
  }
}
