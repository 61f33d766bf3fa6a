package io.convoke.fakes.crm;

import io.convoke.fakes.orchestrator.FakeApiError;
import io.convoke.fakes.orchestrator.FakeReply;
import io.convoke.fakes.orchestrator.FakeRequest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/**
 * HubSpot's CRM API as far as meetings need it: upsert in batches, properties, owners, contacts,
 * companies, deals and their associations. An input of a batch that cannot be used is answered with
 * 207 and an entry in {@code errors}, never with a 4xx; a meeting is on no timeline until it is
 * associated. The rules and their sources are in docs/spec/originals.md.
 */
public final class FakeHubSpot {
  /** The property that an account must have before meetings can be looked up by it. */
  public static final String ID_PROPERTY = "convoke_recording_id";

  /** The account of the private app. */
  static final String PRIVATE = "private";

  private static final List<String> PROPERTIES =
      List.of(
          ID_PROPERTY,
          "hs_timestamp",
          "hs_meeting_title",
          "hs_meeting_body",
          "hs_meeting_start_time",
          "hs_meeting_end_time",
          "hs_meeting_outcome",
          "hubspot_owner_id");
  private static final Set<String> OUTCOMES =
      Set.of("SCHEDULED", "COMPLETED", "RESCHEDULED", "NO_SHOW", "CANCELED");
  private static final int BODY_MAX = 65_536;
  private static final int BATCH_MAX = 100;

  private final String token;
  private final HubSpotLimits limits = new HubSpotLimits();
  private final HubSpotRecords records = new HubSpotRecords();
  private final HubSpotOAuth oauth = new HubSpotOAuth("app-1", "app-secret");
  private final List<String> requests = new ArrayList<>();
  private final List<String> accounts = new ArrayList<>();
  private final List<FakeReply.JsonReply> answers = new ArrayList<>();
  private volatile boolean hasIdProperty = true;

  FakeHubSpot(String token) {
    this.token = token;
  }

  /** The limits of the account. */
  public HubSpotLimits limits() {
    return limits;
  }

  /** Contacts, companies, deals, owners and meetings. */
  public HubSpotRecords records() {
    return records;
  }

  /** The app whose client id is {@code app-1} and whose secret is {@code app-secret}. */
  public HubSpotOAuth oauth() {
    return oauth;
  }

  /**
   * By whose token each authorised request came, in order: the account of the app's token, or
   * {@code private} for the private app's.
   */
  public synchronized List<String> accounts() {
    return List.copyOf(accounts);
  }

  /** Method and path of each authorised request, in order. */
  public synchronized List<String> requests() {
    return List.copyOf(requests);
  }

  /** Answers the next upsert with 200 or 207 and this error, and stores nothing. */
  public void refuseNote(int status, String category, String message) {
    answerNote(
        status,
        Map.of(
            "status",
            "COMPLETE",
            "results",
            List.of(),
            "numErrors",
            1,
            "errors",
            List.of(error(category, message))));
  }

  /** Answers the next upsert with this status and body, and stores nothing. */
  public synchronized void answerNote(int status, Object body) {
    answers.add(new FakeReply.JsonReply(status, Map.of(), body));
  }

  void idProperty(boolean there) {
    hasIdProperty = there;
  }

  FakeReply serve(FakeRequest request) {
    String credential = request.header().getOrDefault("authorization", "");
    String account =
        credential.equals("Bearer " + token)
            ? PRIVATE
            : oauth
                .accountOf(credential.replaceFirst("^Bearer ", ""))
                .orElseThrow(() -> new FakeApiError(401, "Authentication credentials not found"));
    String path = "/" + String.join("/", request.path());
    synchronized (this) {
      requests.add(request.method() + " " + path);
      accounts.add(account);
    }
    Optional<FakeReply> limited = limits.refusal();
    if (limited.isPresent()) {
      return limited.get();
    }
    List<String> parts = request.path();
    if (request.method().equals("GET") && path.startsWith("/crm/v3/properties/meetings/")) {
      return property(parts.getLast());
    }
    if (request.method().equals("GET")
        && (path.equals("/crm/v3/owners") || path.equals("/crm/v3/owners/"))) {
      return records.owners(account, request.allowing("email", "limit", "after", "archived"));
    }
    if (!request.method().equals("POST")) {
      throw new FakeApiError(405, "only POST");
    }
    if (path.equals("/crm/v3/objects/meetings/batch/upsert")) {
      return upsert(account, request);
    }
    if (path.equals("/crm/v3/objects/meetings") || path.equals("/crm/v3/objects/contacts")) {
      return create(account, parts.getLast(), request.object());
    }
    if (path.equals("/crm/v3/objects/contacts/search")) {
      return records.search("contacts", request.object());
    }
    if (path.startsWith("/crm/v3/objects/") && path.endsWith("/batch/read")) {
      return records.read(parts.get(3), request.object());
    }
    if (path.startsWith("/crm/v4/associations/") && parts.size() == 7) {
      return switch (parts.get(6)) {
        case "read" -> records.readAssociations(parts.get(3), parts.get(4), request.object());
        case "create" -> records.associate(parts.get(3), parts.get(4), request.object());
        default -> throw new FakeApiError(404, "no route " + path);
      };
    }
    throw new FakeApiError(404, "no route " + path);
  }

  private FakeReply property(String name) {
    if (!PROPERTIES.contains(name) || (name.equals(ID_PROPERTY) && !hasIdProperty)) {
      throw new FakeApiError(404, "Property " + name + " does not exist");
    }
    return FakeReply.JsonReply.of(
        Map.of(
            "name",
            name,
            "label",
            name,
            "description",
            "",
            "groupName",
            "meeting_engagement",
            "type",
            "string",
            "fieldType",
            "text",
            "options",
            List.of(),
            "archived",
            false,
            "hasUniqueValue",
            name.equals(ID_PROPERTY)));
  }

  /** One object; a meeting's properties are checked as in an upsert. */
  private FakeReply create(String account, String kind, JsonNode body) {
    FakeRequest.only(body, "the request", "properties", "associations", "objectWriteTraceId");
    JsonNode properties = body.path("properties");
    if (kind.equals("contacts")) {
      return new FakeReply.JsonReply(201, Map.of(), records.createContact(properties));
    }
    Optional<String> wrong = wrong(account, properties);
    if (wrong.isPresent()) {
      throw new FakeApiError(400, wrong.get());
    }
    return new FakeReply.JsonReply(201, Map.of(), records.createMeeting(properties));
  }

  private FakeReply upsert(String account, FakeRequest request) {
    JsonNode body = request.object();
    FakeRequest.only(body, "the request", "inputs");
    JsonNode inputs = body.path("inputs");
    if (!inputs.isArray() || inputs.isEmpty() || inputs.size() > BATCH_MAX) {
      throw new FakeApiError(400, "inputs must hold 1 to 100 objects");
    }
    synchronized (this) {
      if (!answers.isEmpty()) {
        return answers.removeFirst();
      }
    }
    List<Object> results = new ArrayList<>();
    List<Object> errors = new ArrayList<>();
    for (JsonNode input : inputs) {
      // Associations are no field of an upsert.
      FakeRequest.only(input, "an input", "id", "idProperty", "properties", "objectWriteTraceId");
      JsonNode properties = input.path("properties");
      if (!FakeRequest.text(input, "idProperty").equals(ID_PROPERTY)) {
        throw new FakeApiError(400, "the id property is not a unique property of meetings");
      }
      if (!hasIdProperty) {
        throw FakeApiError.blameless(400, "", "Property \"" + ID_PROPERTY + "\" does not exist");
      }
      Optional<String> wrong = wrong(account, properties);
      if (wrong.isPresent()) {
        errors.add(error("VALIDATION_ERROR", wrong.get()));
      } else {
        FakeCrm.CrmNote note = records.upsert(FakeRequest.text(input, "id"), properties);
        Map<String, Object> result = HubSpotRecords.shown(note.id(), properties);
        result.put("new", note.versions() == 1);
        results.add(result);
      }
    }
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("status", "COMPLETE");
    answer.put("results", results);
    answer.put("startedAt", HubSpotRecords.THEN);
    answer.put("completedAt", HubSpotRecords.THEN);
    if (!errors.isEmpty()) {
      answer.put("numErrors", errors.size());
      answer.put("errors", errors);
    }
    return new FakeReply.JsonReply(errors.isEmpty() ? 200 : 207, Map.of(), answer);
  }

  private Optional<String> wrong(String account, JsonNode properties) {
    for (String name : properties.propertyNames()) {
      if (!PROPERTIES.contains(name)) {
        return Optional.of("Property \"" + name + "\" does not exist");
      }
      if (!properties.path(name).isString()) {
        return Optional.of("Property \"" + name + "\" must be a text");
      }
    }
    if (!properties.path("hs_timestamp").asString("").matches("\\d{13}|\\d{4}-.*Z")) {
      return Optional.of("Error reading as JSON. Required property \"hs_timestamp\" is missing");
    }
    if (properties.path("hs_meeting_body").asString("").length() > BODY_MAX) {
      return Optional.of("hs_meeting_body exceeds 65536 characters");
    }
    String outcome = properties.path("hs_meeting_outcome").asString("COMPLETED");
    if (!OUTCOMES.contains(outcome)) {
      return Optional.of(outcome + " was not one of the allowed options");
    }
    String owner = properties.path("hubspot_owner_id").asString("");
    return owner.isEmpty() || records.isOwner(account, owner)
        ? Optional.empty()
        : Optional.of("owner " + owner + " does not exist");
  }

  static Map<String, Object> error(String category, String message) {
    return Map.of(
        "status",
        "error",
        "category",
        category,
        "message",
        message,
        "context",
        Map.of(),
        "links",
        Map.of(),
        "errors",
        List.of());
  }
}
