package io.convoke.cli;

import io.convoke.client.ConvokeClient;
import io.convoke.client.TranscriptFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** {@code convoke transcript}. */
@Command(
    name = "transcript",
    description = "Print the transcript of a meeting, as text unless asked otherwise.",
    mixinStandardHelpOptions = true)
final class TranscriptCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Parameters(paramLabel = "ID", description = "The number of the meeting.")
  private long meeting;

  @ArgGroup private Form form = new Form();

  /** At most one of these. */
  private static final class Form {
    @Option(names = "--vtt", description = "As WebVTT.")
    private boolean vtt;

    @Option(names = "--srt", description = "As SubRip.")
    private boolean srt;

    @Option(names = "--md", description = "As Markdown.")
    private boolean markdown;

    @Option(names = "--json", description = "As JSON: segments with ids and times.")
    private boolean json;
  }

  TranscriptCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    try (ConvokeClient client = terminal.client()) {
      if (form.json) {
        terminal.json(segments(client));
      } else {
        terminal.out().print(client.transcript(meeting, format()));
        terminal.out().flush();
      }
    }
    return ExitCodes.DONE;
  }

  /** All of them: the server answers a long transcript in pages. */
  private List<JsonNode> segments(ConvokeClient client) {
    List<JsonNode> segments = new ArrayList<>();
    Map<String, String> query = Map.of();
    while (true) {
      JsonNode page = client.get("/transcripts/" + meeting, query);
      page.path("segments").forEach(segments::add);
      JsonNode cursor = page.path("next_cursor");
      if (!cursor.isString()) {
        return segments;
      }
      query = Map.of("cursor", cursor.asString());
    }
  }

  private TranscriptFormat format() {
    if (form.vtt) {
      return TranscriptFormat.VTT;
    }
    if (form.srt) {
      return TranscriptFormat.SRT;
    }
    return form.markdown ? TranscriptFormat.MD : TranscriptFormat.TXT;
  }
}
