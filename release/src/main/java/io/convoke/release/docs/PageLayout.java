package io.convoke.release.docs;

import io.convoke.release.docs.SitePage.PageSection;
import java.util.List;

/** The frame of each page: header with search, navigation, main part, headings of the page. */
final class PageLayout {
  private PageLayout() {}

  /**
   * A group of the navigation.
   *
   * @param title such as Guides
   */
  record NavigationGroup(String title, List<NavigationLink> links) {
    NavigationGroup {
      links = List.copyOf(links);
    }
  }

  /**
   * A line of the navigation.
   *
   * @param path of the page in the site
   */
  record NavigationLink(String title, String path) {}

  /** The whole page as HTML. */
  static String html(SitePage page, List<NavigationGroup> navigation) {
    String root = page.toRoot();
    return """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta name="description" content="@@description@@">
        <title>@@title@@ - Convoke</title>
        <link rel="icon" href="@@root@@favicon.svg">
        <link rel="stylesheet" href="@@root@@site.css">
        <link rel="alternate" type="text/plain" href="@@root@@llms.txt" title="For language models">
        <script src="@@root@@site.js" defer></script>
        </head>
        <body data-root="@@root@@">
        <a class="skip" href="#main">Skip to content</a>
        <header>
        <a class="brand" href="@@root@@index.html">Convoke</a>
        <form role="search" action="@@root@@index.html">
        <label for="search">Search</label>
        <input type="search" id="search" autocomplete="off" aria-controls="results">
        <div id="results" role="status" aria-live="polite"></div>
        </form>
        </header>
        <div class="columns">
        <nav aria-label="Documentation">
        <button type="button" id="menu" aria-expanded="false" aria-controls="pages">Pages</button>
        <div id="pages">
        @@navigation@@</div>
        </nav>
        <main id="main" tabindex="-1">
        @@main@@</main>
        @@outline@@</div>
        <footer><p>Convoke, Apache-2.0. <a href="@@root@@llms.txt">llms.txt</a>,
        <a href="@@root@@llms-full.txt">all pages as one text</a>.</p></footer>
        </body>
        </html>
        """
        .replace("@@description@@", escaped(description(page)))
        .replace("@@title@@", escaped(page.title()))
        .replace("@@root@@", root)
        .replace("@@navigation@@", navigation(page, navigation))
        .replace("@@outline@@", outline(page))
        .replace("@@main@@", page.html());
  }

  private static String description(SitePage page) {
    String text =
        page.sections().stream()
            .map(PageSection::text)
            .filter(it -> !it.isBlank())
            .findFirst()
            .orElse(page.title());
    return text.length() <= 160 ? text : text.substring(0, 157) + "...";
  }

  private static String navigation(SitePage page, List<NavigationGroup> groups) {
    StringBuilder html = new StringBuilder();
    for (NavigationGroup group : groups) {
      boolean open = group.links().stream().anyMatch(link -> link.path().equals(page.path()));
      html.append("<details").append(open ? " open" : "").append("><summary>");
      html.append(escaped(group.title())).append("</summary>\n<ul>\n");
      for (NavigationLink link : group.links()) {
        html.append("<li><a href=\"").append(page.toRoot()).append(link.path()).append('"');
        html.append(link.path().equals(page.path()) ? " aria-current=\"page\"" : "");
        html.append('>').append(escaped(link.title())).append("</a></li>\n");
      }
      html.append("</ul></details>\n");
    }
    return html.toString();
  }

  private static String outline(SitePage page) {
    List<PageSection> headings =
        page.sections().stream().filter(it -> it.level() == 2 || it.level() == 3).toList();
    if (headings.size() < 2) {
      return "";
    }
    StringBuilder html = new StringBuilder("<aside aria-label=\"On this page\">\n<ul>\n");
    for (PageSection heading : headings) {
      html.append("<li class=\"level").append(heading.level()).append("\"><a href=\"#");
      html.append(heading.anchor()).append("\">");
      html.append(escaped(heading.heading())).append("</a></li>\n");
    }
    return html.append("</ul>\n</aside>\n").toString();
  }

  static String escaped(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
