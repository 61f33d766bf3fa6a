package io.convoke.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;

/** The columns of a table of meetings and bots. */
final class MeetingColumns {
  private MeetingColumns() {}

  static Map<String, Function<JsonNode, String>> columns() {
    Map<String, Function<JsonNode, String>> columns = new LinkedHashMap<>();
    columns.put("ID", Terminal.member("id"));
    columns.put("PLATFORM", Terminal.member("platform"));
    columns.put("MEETING", Terminal.member("platform_specific_id"));
    columns.put("STATUS", MeetingColumns::status);
    columns.put("PEOPLE", Terminal.member("num_clients"));
    columns.put("BEGAN", Terminal.member("start_time"));
    columns.put("ENDED", Terminal.member("end_time"));
    return columns;
  }

  /** With what it waits for, or why it ended. */
  static String status(JsonNode meeting) {
    String status = Terminal.member("status").apply(meeting);
    String more = Terminal.member("substatus").apply(meeting);
    String reason = meeting.at("/data/outcome/reason").asString("");
    String beside = more.isEmpty() ? reason : more;
    return beside.isEmpty() ? status : status + " (" + beside + ")";
  }
}
