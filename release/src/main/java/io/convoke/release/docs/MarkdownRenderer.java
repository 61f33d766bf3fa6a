package io.convoke.release.docs;

import io.convoke.release.docs.SitePage.PageSection;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Block;
import org.commonmark.node.Code;
import org.commonmark.node.FencedCodeBlock;
import org.commonmark.node.HardLineBreak;
import org.commonmark.node.Heading;
import org.commonmark.node.Image;
import org.commonmark.node.IndentedCodeBlock;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.commonmark.node.Paragraph;
import org.commonmark.node.SoftLineBreak;
import org.commonmark.node.Text;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.html.HtmlRenderer;

/**
 * Renders Markdown with GitHub's tables and anchors. HTML in a page is shown as text, and a diagram
 * in Mermaid as the picture that was drawn of it.
 */
final class MarkdownRenderer {
  private static final List<org.commonmark.Extension> EXTENSIONS =
      List.of(TablesExtension.create());
  private static final Parser PARSER = Parser.builder().extensions(EXTENSIONS).build();

  /** Where {@code release/diagrams} puts pictures. */
  private static final String DIAGRAMS = "/docs/images/diagrams/";

  private MarkdownRenderer() {}

  /**
   * Renders a page.
   *
   * @param path where it is in the site
   * @param target makes a link's target in the site of its target in the repository
   */
  static SitePage page(String path, String markdown, UnaryOperator<String> target) {
    Node document = PARSER.parse(markdown);
    Map<Node, String> anchors = new HashMap<>();
    List<PageSection> sections = sections(document, anchors);
    document.accept(
        new AbstractVisitor() {
          @Override
          public void visit(Link link) {
            link.setDestination(target.apply(link.getDestination()));
            visitChildren(link);
          }

          @Override
          public void visit(Image image) {
            image.setDestination(target.apply(image.getDestination()));
            visitChildren(image);
          }

          @Override
          public void visit(FencedCodeBlock block) {
            if (block.getInfo().equals("mermaid")) {
              draw(block, target);
            }
          }
        });
    String html =
        HtmlRenderer.builder()
            .extensions(EXTENSIONS)
            .escapeHtml(true)
            .attributeProviderFactory(
                _ ->
                    (node, tag, attributes) -> {
                      if (anchors.containsKey(node)) {
                        attributes.put("id", anchors.getOrDefault(node, ""));
                      }
                      if (tag.equals("th")) {
                        attributes.put("scope", "col");
                      }
                      if (tag.equals("pre")) {
                        attributes.put("tabindex", "0");
                      }
                    })
            .build()
            .render(document)
            .replace("<table>", "<div class=\"wide\" tabindex=\"0\"><table>")
            .replace("</table>", "</table></div>");
    String title =
        sections.stream()
            .filter(section -> section.level() == 1)
            .map(PageSection::heading)
            .findFirst()
            .orElse(path);
    return new SitePage(path, title, html, sections);
  }

  /** Puts the picture of a diagram in its place; its text is there for who cannot see it. */
  private static void draw(FencedCodeBlock diagram, UnaryOperator<String> target) {
    String picture = DIAGRAMS + hash(diagram.getLiteral()) + ".svg";
    Image image = new Image(target.apply(picture), null);
    image.appendChild(new Text(diagram.getLiteral().strip()));
    Paragraph paragraph = new Paragraph();
    paragraph.appendChild(image);
    diagram.insertBefore(paragraph);
    diagram.unlink();
  }

  /** The beginning of the SHA-256, as {@code release/diagrams} names its pictures. */
  private static String hash(String text) {
    try {
      byte[] all =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(all, 0, 8);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /** Cuts a page at its headings, and gives each of them the anchor that GitHub gives it. */
  private static List<PageSection> sections(Node document, Map<Node, String> anchors) {
    List<PageSection> sections = new ArrayList<>();
    Map<String, Integer> used = new HashMap<>();
    int level = 0;
    String anchor = "";
    String heading = "";
    StringBuilder text = new StringBuilder();
    for (Node node = document.getFirstChild(); node != null; node = node.getNext()) {
      if (node instanceof Heading next) {
        if (level > 0 || !text.isEmpty()) {
          sections.add(new PageSection(level, anchor, heading, text.toString().strip()));
        }
        level = next.getLevel();
        heading = text(next);
        anchor = anchor(heading);
        int before = used.merge(anchor, 1, Integer::sum) - 1;
        anchor = before == 0 ? anchor : anchor + "-" + before;
        String _ = anchors.put(next, anchor);
        text.setLength(0);
      } else {
        text.append(text(node)).append(' ');
      }
    }
    if (level > 0 || !text.isEmpty()) {
      sections.add(new PageSection(level, anchor, heading, text.toString().strip()));
    }
    return sections;
  }

  static String anchor(String heading) {
    return heading.toLowerCase(Locale.ROOT).replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-');
  }

  private static String text(Node node) {
    StringBuilder text = new StringBuilder();
    node.accept(new PlainText(text));
    return text.toString().replaceAll("\\s+", " ").strip();
  }

  /** Collects the words of a node; blocks are set apart by spaces. */
  private static final class PlainText extends AbstractVisitor {
    private final StringBuilder text;

    PlainText(StringBuilder text) {
      this.text = text;
    }

    @Override
    public void visit(Text node) {
      text.append(node.getLiteral());
    }

    @Override
    public void visit(Code node) {
      text.append(node.getLiteral());
    }

    @Override
    public void visit(FencedCodeBlock node) {
      text.append(node.getLiteral()).append(' ');
    }

    @Override
    public void visit(IndentedCodeBlock node) {
      text.append(node.getLiteral()).append(' ');
    }

    @Override
    public void visit(SoftLineBreak node) {
      text.append(' ');
    }

    @Override
    public void visit(HardLineBreak node) {
      text.append(' ');
    }

    @Override
    protected void visitChildren(Node parent) {
      super.visitChildren(parent);
      if (parent instanceof Block || parent instanceof org.commonmark.node.CustomNode) {
        text.append(' ');
      }
    }
  }
}
