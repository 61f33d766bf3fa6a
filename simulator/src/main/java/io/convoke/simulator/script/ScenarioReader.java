package io.convoke.simulator.script;

import io.convoke.simulator.state.Lobby;
import io.convoke.simulator.state.Recording;
import io.convoke.simulator.state.Visitor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** Reads a scenario from YAML or JSON and names everything that is wrong with it. */
public final class ScenarioReader {

  private static final YAMLMapper YAML = YAMLMapper.builder().build();
  private static final Set<String> TAPES = Set.of("cloud", "cloud-audio-only", "raw-tracks");

  private final List<String> faults = new ArrayList<>();

  private ScenarioReader() {}

  public static ScenarioParseResult read(byte[] file) {
    try {
      return new ScenarioReader().scenario(YAML.readTree(file));
    } catch (JacksonException malformed) {
      return new ScenarioParseResult.InvalidScenario(
          List.of("not YAML or JSON: " + malformed.getOriginalMessage()));
    }
  }

  private ScenarioParseResult scenario(JsonNode root) {
    List<ScriptedMeeting> meetings = new ArrayList<>();
    if (!root.path("meetings").isArray()) {
      faults.add("meetings: a list is needed");
    }
    int index = 0;
    for (JsonNode meeting : root.path("meetings")) {
      meetings.add(gathering(meeting, "meetings[" + index++ + "]"));
    }
    return faults.isEmpty()
        ? new ScenarioParseResult.ValidScenario(
            new SimulationScript(text(root, "name").orElse("unnamed"), meetings))
        : new ScenarioParseResult.InvalidScenario(List.copyOf(faults));
  }

  private ScriptedMeeting gathering(JsonNode node, String at) {
    String room = text(node, "room").orElse("");
    if (!room.matches("[A-Za-z0-9_-]{1,128}")) {
      faults.add(at + ".room: letters, digits, dash and underscore are needed");
    }
    Duration lasts = span(node, "lasts", at, Optional.empty());
    Lobby lobby =
        LobbyFormat.read(text(node, "lobby").orElse("open")).orElseGet(() -> badLobby(at));
    List<ScriptedMeeting.ScriptedPerson> people = new ArrayList<>();
    for (JsonNode person : node.path("people")) {
      people.add(person(person, at + ".people[" + people.size() + "]", people.size(), lasts));
    }
    List<ScriptedMeeting.ScriptedLine> lines = new ArrayList<>();
    for (JsonNode line : node.path("lines")) {
      lines.add(line(line, at + ".lines[" + lines.size() + "]", people));
    }
    List<ScriptedMeeting.ScriptedRecording> tapes = new ArrayList<>();
    for (JsonNode tape : node.path("recordings")) {
      tapes.add(tape(tape, at + ".recordings[" + tapes.size() + "]", lasts));
    }
    return new ScriptedMeeting(
        room,
        text(node, "title").orElse(room),
        span(node, "at", at, Optional.of(Duration.ZERO)),
        lasts,
        node.path("host_ends").asBoolean(false),
        lobby,
        people,
        lines,
        tapes);
  }

  private Lobby badLobby(String at) {
    faults.add(at + ".lobby: open, closed, admit 10s or deny 10s is needed");
    return new Lobby.OpenLobby();
  }

  private ScriptedMeeting.ScriptedPerson person(
      JsonNode node, String at, int index, Duration lasts) {
    Optional<String> name = text(node, "name");
    Optional<String> userId = text(node, "user_id");
    Visitor visitor =
        new Visitor(
            userId,
            name,
            node.path("owner").asBoolean(false),
            !node.path("hidden").asBoolean(false));
    List<ScriptedMeeting.ScriptedVisit> visits = new ArrayList<>();
    if (node.path("visits").isArray()) {
      for (JsonNode visit : node.path("visits")) {
        visits.add(visit(visit, at + ".visits[" + visits.size() + "]", lasts));
      }
    } else {
      visits.add(visit(node, at, lasts));
    }
    return new ScriptedMeeting.ScriptedPerson(
        name.or(() -> userId).orElse("guest " + (index + 1)), visitor, visits);
  }

  private ScriptedMeeting.ScriptedVisit visit(JsonNode node, String at, Duration lasts) {
    Duration join = span(node, "join", at, Optional.of(Duration.ZERO));
    Duration leave = span(node, "leave", at, Optional.of(lasts));
    if (leave.compareTo(join) <= 0) {
      faults.add(at + ": leave must come after join");
    }
    return new ScriptedMeeting.ScriptedVisit(join, leave);
  }

  private ScriptedMeeting.ScriptedLine line(
      JsonNode node, String at, List<ScriptedMeeting.ScriptedPerson> people) {
    String who = text(node, "who").orElse("");
    if (people.stream().noneMatch(scriptedPerson -> scriptedPerson.key().equals(who))) {
      faults.add(at + ".who: no participant of this meeting is called '" + who + "'");
    }
    return new ScriptedMeeting.ScriptedLine(
        span(node, "at", at, Optional.empty()), who, text(node, "says").orElse(""));
  }

  private ScriptedMeeting.ScriptedRecording tape(JsonNode node, String at, Duration lasts) {
    String type = text(node, "type").orElse("cloud");
    String wanted = text(node, "outcome").orElse("finished");
    Optional<Recording.RecordingOutcome> outcome =
        Arrays.stream(Recording.RecordingOutcome.values())
            .filter(o -> o.name().toLowerCase(Locale.ROOT).equals(wanted))
            .findFirst();
    if (!TAPES.contains(type)) {
      faults.add(at + ".type: cloud, cloud-audio-only or raw-tracks is needed");
    }
    if (outcome.isEmpty()) {
      faults.add(at + ".outcome: finished, finished_after_error, canceled or error is needed");
    }
    return new ScriptedMeeting.ScriptedRecording(
        type,
        span(node, "from", at, Optional.of(Duration.ZERO)),
        span(node, "until", at, Optional.of(lasts)),
        outcome.orElse(Recording.RecordingOutcome.FINISHED));
  }

  private Duration span(JsonNode node, String field, String at, Optional<Duration> otherwise) {
    JsonNode value = node.path(field);
    Optional<Duration> span =
        value.isMissingNode()
            ? otherwise
            : value.isInt()
                ? Optional.of(Duration.ofSeconds(value.intValue()))
                : value.isString() ? DurationFormat.read(value.stringValue()) : Optional.empty();
    if (span.isEmpty()) {
      faults.add(at + "." + field + ": a span such as 90s or 1m30s is needed");
    }
    return span.orElse(Duration.ZERO);
  }

  /** The text of a field; a lone tilde is YAML's older way to write null. */
  private static Optional<String> text(JsonNode node, String field) {
    JsonNode value = node.path(field);
    return value.isString()
        ? Optional.of(value.stringValue()).filter(text -> !text.equals("~"))
        : Optional.empty();
  }
}
