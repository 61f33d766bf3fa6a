package io.convoke.server.crm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.engine.json.Json;
import io.convoke.fakes.crm.FakeCrm;
import io.convoke.fakes.orchestrator.RequestFaults.RequestFault;
import io.convoke.server.crm.CrmConnector.CrmPushResult;
import io.convoke.server.crm.CrmConnector.CrmTransformResult;
import io.convoke.server.crm.MeetingNote.MeetingNoteLine;
import io.convoke.server.crm.MeetingNote.MeetingNotePerson;
import io.convoke.server.platform.RateLimiter;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Notes at HubSpot: what its answers mean, its limits, its HTML, and whose timelines show them. */
class HubSpotNoteTest {
  private static final String TOKEN = "the-token";
  private static final Pattern TAG = Pattern.compile("<(/?)([a-z]+)>");

  private final FakeCrm standIn = new FakeCrm(TOKEN);
  private CrmConnector crm = connector(Optional.empty());

  @AfterEach
  void close() {
    crm.close();
    standIn.close();
  }

  private CrmConnector connector(Optional<String> owner) {
    return CrmConnectorFactory.hubSpot(
        standIn.hubSpotUrl(), Optional.of(TOKEN), owner, RateLimiter.unlimited());
  }

  @Test
  void anAnswerWithErrorsIsARefusalInItsWordsWhateverItsStatus() throws Exception {
    for (int status : List.of(207, 200)) {
      standIn.hubSpot().refuseNote(status, "VALIDATION_ERROR", "Owner 7 is deactivated");
      assertThat(push(note()))
          .isInstanceOfSatisfying(
              CrmPushResult.CrmPushRefused.class,
              refused -> assertThat(refused.why()).contains("Owner 7 is deactivated"));
    }
    assertThat(standIn.notes()).isEmpty();
    assertThat(push(note())).isInstanceOf(CrmPushResult.CrmPushAccepted.class);
  }

  @Test
  void anErrorThatHubSpotItselfWillMendIsTriedAgain() {
    standIn.hubSpot().refuseNote(207, "RATE_LIMITS", "You have reached your secondly limit.");
    assertThatThrownBy(() -> push(note()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("secondly limit");
  }

  @Test
  void anAnswerWithoutAnIdIsNoSuccess() throws Exception {
    List<Object> bodies =
        List.of(
            Map.of("status", "COMPLETE", "results", List.of()),
            Map.of("status", "COMPLETE", "results", List.of(Map.of("id", ""))),
            Map.of());
    for (Object body : bodies) {
      standIn.hubSpot().answerNote(200, body);
      assertThat(push(note())).isInstanceOf(CrmPushResult.CrmPushRefused.class);
    }
  }

  @Test
  void nothingIsSentUntilRetryAfterHasPassed() throws Exception {
    standIn.hubSpot().limits().exceed(Duration.ofSeconds(1));
    assertThatThrownBy(() -> push(note()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("429");
    // Another meeting's note and a check of properties wait for the same account.
    assertThat(crm.lacks()).isEmpty();
    assertThat(push(note())).isInstanceOf(CrmPushResult.CrmPushAccepted.class);
    assertThat(standIn.hubSpot().limits().early()).isZero();
  }

  @Test
  void aTimelineShowsEachLineAsItWasSaid() throws Exception {
    assertThat(
            push(
                note(
                    List.of(),
                    line(Optional.of("Ada <ada@example.org>"), "<script>alert(1)</script>"),
                    line(Optional.empty(), "Fish & chips\n\"now\"\u0007 </p><b>"))))
        .isInstanceOf(CrmPushResult.CrmPushAccepted.class);
    assertThat(shown(body()))
        .containsExactly(
            "Ada <ada@example.org>: <script>alert(1)</script>", "Fish & chips \"now\" </p><b>");
  }

  @Test
  void aLongTranscriptEndsWithANoteAndNoTagIsCut() throws Exception {
    MeetingNoteLine[] lines = new MeetingNoteLine[300];
    java.util.Arrays.fill(lines, line(Optional.of("Ada"), "<&>".repeat(50)));
    assertThat(push(note(List.of(), lines))).isInstanceOf(CrmPushResult.CrmPushAccepted.class);
    assertThat(body()).hasSizeLessThanOrEqualTo(65_536).hasSizeGreaterThan(64_000);
    assertThat(shown(body()).getLast()).isEqualTo("[shortened]");
  }

  @Test
  void aMeetingIsOnTheTimelinesOfItsAttendeesTheirCompaniesAndTheOneOpenDeal() throws Exception {
    var records = standIn.hubSpot().records();
    String ada = records.contact("ada@example.org");
    String bob = records.contact("bob@example.com");
    String company = records.company(ada);
    records.further(ada, records.company());
    String deal = records.deal(false, ada, bob);
    String _ = records.deal(true, bob);
    String grace = records.owner("grace@example.org");
    MeetingNote note =
        note(
            List.of(
                person("ADA@example.org", "Ada"),
                person("u-17", "bob@example.com"),
                person("x", "Nobody"),
                person("stranger@example.net", "Stranger")),
            line(Optional.of("Ada"), "Good morning."));
    CrmPushResult first = push(note);
    assertThat(first)
        .isInstanceOfSatisfying(
            CrmPushResult.CrmPushAccepted.class,
            accepted -> {
              assertThat(accepted.detail()).isEqualTo("2 contacts, 1 companies, 1 deals");
              assertThat(records.timelines(accepted.id()))
                  .containsExactlyInAnyOrder(
                      "contacts:" + ada,
                      "contacts:" + bob,
                      "companies:" + company,
                      "deals:" + deal);
            });
    assertThat(ownerOfNote()).isEqualTo(grace);
    assertThat(push(note)).isEqualTo(first);
    String _ = records.deal(false, bob);
    assertThat(push(note))
        .isInstanceOfSatisfying(
            CrmPushResult.CrmPushAccepted.class,
            accepted -> assertThat(accepted.detail()).contains("2 open deals, none chosen"));
    assertThat(standIn.complaints()).isEmpty();
  }

  @Test
  void associationsThatHubSpotAnswersInPartsAreAllRead() throws Exception {
    var records = standIn.hubSpot().records();
    records.showAssociations(1);
    String ada = records.contact("ada@example.org");
    records.further(ada, records.company());
    String company = records.company(ada);
    String _ = records.deal(true, ada);
    String deal = records.deal(false, ada);
    MeetingNote note = note(List.of(person("ada@example.org", "Ada")));
    assertThat(push(note))
        .isInstanceOfSatisfying(
            CrmPushResult.CrmPushAccepted.class,
            accepted -> {
              assertThat(accepted.detail()).isEqualTo("1 contacts, 1 companies, 1 deals");
              assertThat(records.timelines(accepted.id()))
                  .containsExactlyInAnyOrder(
                      "contacts:" + ada, "companies:" + company, "deals:" + deal);
            });
    String _ = records.deal(false, ada);
    assertThat(push(note))
        .isInstanceOfSatisfying(
            CrmPushResult.CrmPushAccepted.class,
            accepted ->
                assertThat(accepted.detail())
                    .isEqualTo("1 contacts, 1 companies, 2 open deals, none chosen"));
    for (int i = 0; i < 8; i++) {
      String _ = records.deal(true, ada);
    }
    assertThat(push(note))
        .isInstanceOfSatisfying(
            CrmPushResult.CrmPushAccepted.class,
            accepted ->
                assertThat(accepted.detail())
                    .isEqualTo("1 contacts, 1 companies, too many deals of contact " + ada));
    assertThat(standIn.complaints()).isEmpty();
  }

  @Test
  void ofAContactWhoseLaterPartIsRefusedNoDealIsChosen() throws Exception {
    var records = standIn.hubSpot().records();
    records.showAssociations(1);
    String ada = records.contact("ada@example.org");
    String _ = records.deal(false, ada);
    String _ = records.deal(false, ada);
    MeetingNote note = note(List.of(person("ada@example.org", "Ada")));
    refuseLaterDeals(403);
    assertThat(push(note))
        .isInstanceOfSatisfying(
            CrmPushResult.CrmPushAccepted.class,
            accepted -> {
              assertThat(accepted.detail())
                  .isEqualTo(
                      "1 contacts, the token may not read deals, not all deals of contact " + ada);
              assertThat(records.timelines(accepted.id())).containsExactly("contacts:" + ada);
            });
    refuseLaterDeals(429);
    assertThatThrownBy(() -> push(note))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("429");
  }

  /** Refuses the next request for a part of a contact's deals after the first one. */
  private void refuseLaterDeals(int status) {
    standIn
        .faults()
        .next(
            request ->
                String.join("/", request.path()).endsWith("contacts/deals/batch/read")
                    && request.object().path("inputs").path(0).has("after"),
            new RequestFault.RefuseRequest(status));
  }

  @Test
  void theConfiguredOwnerOwnsEveryMeetingAndMustExist() throws Exception {
    crm.close();
    crm = connector(Optional.of("sales@example.org"));
    assertThat(push(note()))
        .isInstanceOfSatisfying(
            CrmPushResult.CrmPushRefused.class,
            refused ->
                assertThat(refused.why()).contains("sales@example.org", "CONVOKE_CRM_OWNER"));
    String owner = standIn.hubSpot().records().owner("sales@example.org");
    assertThat(push(note())).isInstanceOf(CrmPushResult.CrmPushAccepted.class);
    assertThat(ownerOfNote()).isEqualTo(owner);
  }

  @Test
  void aRefusedTokenIsNoMissingOwner() {
    crm.close();
    crm =
        CrmConnectorFactory.hubSpot(
            standIn.hubSpotUrl(),
            Optional.of("expired"),
            Optional.of("sales@example.org"),
            RateLimiter.unlimited());
    assertThatThrownBy(() -> push(note()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("the owner could not be looked up")
        .hasMessageContaining("401");
  }

  @Test
  void aKindThatTheTokenMayNotReadIsLeftOutAndWhatItMayNotAssociateIsTriedAgain() throws Exception {
    String _ = standIn.hubSpot().records().contact("ada@example.org");
    MeetingNote note = note(List.of(person("ada@example.org", "Ada")));
    refuse("contacts/batch/read");
    assertThat(push(note))
        .isInstanceOfSatisfying(
            CrmPushResult.CrmPushAccepted.class,
            accepted ->
                assertThat(accepted.detail())
                    .isEqualTo("no contact, the token may not read contacts"));
    refuse("contacts/batch/create");
    assertThatThrownBy(() -> push(note))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("403");
    assertThat(push(note))
        .isInstanceOfSatisfying(
            CrmPushResult.CrmPushAccepted.class,
            accepted -> assertThat(accepted.detail()).isEqualTo("1 contacts"));
  }

  /** The token lacks the scope of the next request to such a path. */
  private void refuse(String path) {
    standIn
        .faults()
        .next(
            request -> String.join("/", request.path()).endsWith(path),
            new RequestFault.RefuseRequest(403));
  }

  @Test
  void aMeetingThatNoContactAttendedIsStoredAndSaysSo() throws Exception {
    assertThat(push(note()))
        .isInstanceOfSatisfying(
            CrmPushResult.CrmPushAccepted.class,
            accepted -> assertThat(accepted.detail()).isEqualTo("no contact"));
  }

  @Test
  void pausesAreReadFromSecondsAndDatesAndFromTheNameOfAFullWindow() throws Exception {
    Instant now = Instant.parse("2026-11-25T10:00:00Z");
    assertThat(CrmPause.span("3", now)).contains(Duration.ofSeconds(3));
    assertThat(CrmPause.span("0.25", now)).contains(Duration.ofMillis(250));
    assertThat(CrmPause.span("Wed, 25 Nov 2026 10:00:07 GMT", now)).contains(Duration.ofSeconds(7));
    assertThat(CrmPause.span("Wed, 25 Nov 2026 09:00:00 GMT", now)).contains(Duration.ZERO);
    assertThat(CrmPause.span("99999999", now)).contains(Duration.ofDays(1));
    assertThat(CrmPause.span("soon", now)).isEmpty();
    standIn
        .hubSpot()
        .limits()
        .exceed(429, "TEN_SECONDLY_ROLLING", Optional.empty(), Duration.ofSeconds(9));
    try (CrmConnector other = connector(Optional.empty())) {
      assertThatThrownBy(other::lacks).hasMessageContaining("429");
      // 477: HubSpot moves the account; a wait longer than a worker's patience is no request.
      standIn
          .hubSpot()
          .limits()
          .exceed(477, "MIGRATION", Optional.of(Duration.ofHours(1)), Duration.ofHours(1));
      assertThatThrownBy(crm::lacks).isInstanceOf(IOException.class).hasMessageContaining("477");
      assertThatThrownBy(crm::lacks).isInstanceOf(IOException.class).hasMessageContaining("s");
    }
    assertThat(standIn.hubSpot().limits().early()).isZero();
  }

  @Test
  void aNoteOfAnEarlierReleaseIsReadWithoutAddresses() {
    MeetingNote note = note(List.of(person("ada@example.org", "Ada")));
    JsonNode json = Json.tree(note);
    ((ObjectNode) json).remove("owner_email");
    ((ObjectNode) json.path("people").path(0)).remove("email");
    MeetingNote read = Json.read(json, MeetingNote.class);
    assertThat(read.ownerEmail()).isEmpty();
    assertThat(read.addresses()).isEmpty();
  }

  private static MeetingNotePerson person(String userId, String name) {
    return MeetingNotePerson.of(Optional.of(userId), Optional.of(name));
  }

  private String body() {
    return standIn.notes().values().iterator().next().body().path("hs_meeting_body").asString("");
  }

  private String ownerOfNote() {
    return Optional.ofNullable(standIn.notes().get("r1"))
        .orElseThrow()
        .body()
        .path("hubspot_owner_id")
        .asString("");
  }

  /** What a browser shows: the lines of the blocks. Tags beside plain ones are not expected. */
  private static List<String> shown(String html) {
    List<String> lines = new ArrayList<>();
    for (String block : html.split("</p>|<br>", -1)) {
      TAG.matcher(block)
          .results()
          .forEach(tag -> assertThat(tag.group(2)).isIn("p", "strong", "br", "em"));
      String text = TAG.matcher(block).replaceAll("");
      assertThat(text).doesNotContain("<", ">");
      String plain =
          text.replace("&lt;", "<")
              .replace("&gt;", ">")
              .replace("&quot;", "\"")
              .replace("&#39;", "'")
              .replace("&amp;", "&")
              .replaceAll("\\s+", " ")
              .strip();
      if (!plain.isEmpty()) {
        lines.add(plain);
      }
    }
    return lines;
  }

  private CrmPushResult push(MeetingNote note) throws IOException, InterruptedException {
    JsonNode body = ((CrmTransformResult.CrmBodyReady) crm.transform(note)).body();
    return crm.push(body, Optional.of(note), "key");
  }

  private static MeetingNote note() {
    return note(List.of(), line(Optional.of("Ada"), "Good morning."));
  }

  private static MeetingNoteLine line(Optional<String> speaker, String text) {
    return new MeetingNoteLine(0, 1, speaker, text);
  }

  private static MeetingNote note(List<MeetingNotePerson> people, MeetingNoteLine... lines) {
    return new MeetingNote(
        "recording:r1",
        1,
        Optional.of("r1"),
        "daily",
        "stand-up",
        Optional.of(Instant.parse("2026-11-25T10:00:00Z")),
        Optional.of(600),
        Optional.of("Grace@Example.org"),
        Optional.empty(),
        people,
        List.of(lines));
  }
}
