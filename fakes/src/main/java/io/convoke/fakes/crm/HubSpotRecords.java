package io.convoke.fakes.crm;

import io.convoke.fakes.orchestrator.FakeApiError;
import io.convoke.fakes.orchestrator.FakeReply;
import io.convoke.fakes.orchestrator.FakeRequest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/** The records of HubSpot and the associations between them; an owner is of one account. */
public final class HubSpotRecords {
  private static final int READ_MAX = 100;
  private static final int ASSOCIATIONS_MAX = 1000;

  /** HubSpot's own types from a meeting to a contact, a company and a deal. */
  private static final Map<String, Integer> TYPES =
      Map.of("contacts", 200, "companies", 188, "deals", 212);

  /** The time of every answer. */
  static final String THEN = "2026-01-01T00:00:00.000Z";

  private final Map<String, HubSpotRecord> records = new LinkedHashMap<>();
  private final Map<String, AccountOwner> owners = new LinkedHashMap<>();
  private final Map<String, FakeCrm.CrmNote> meetings = new LinkedHashMap<>();
  private final Map<String, Set<String>> associations = new LinkedHashMap<>();
  private final Set<String> primary = new LinkedHashSet<>();
  private int ids = 9000;
  private int associationsShown = 500;

  private record HubSpotRecord(String kind, String id, Map<String, String> properties) {}

  private record AccountOwner(String account, String email) {}

  /** Adds a contact; returns its id. */
  public synchronized String contact(String email) {
    return add("contacts", Map.of("email", email));
  }

  /** Adds a company as the primary one of contacts; returns its id. */
  public synchronized String company(String... contacts) {
    String id = add("companies", Map.of());
    for (String contact : contacts) {
      link(contact, id);
      primary.add(contact + ">" + id);
    }
    return id;
  }

  /** Adds a deal of contacts; returns its id. */
  public synchronized String deal(boolean closed, String... contacts) {
    String id = add("deals", Map.of("hs_is_closed", Boolean.toString(closed)));
    for (String contact : contacts) {
      link(contact, id);
    }
    return id;
  }

  /** Makes a company one of a contact's, though not the primary one. */
  public synchronized void further(String contact, String company) {
    link(contact, company);
  }

  /** Adds a user of the private app's account who may own records; returns the owner's id. */
  public String owner(String email) {
    return owner(FakeHubSpot.PRIVATE, email);
  }

  /** Adds a user of an account. */
  public synchronized String owner(String account, String email) {
    String id = Integer.toString(++ids);
    owners.put(id, new AccountOwner(account, email));
    return id;
  }

  /** An answer shows at most so many associations of an object with a kind; the others follow. */
  public synchronized void showAssociations(int most) {
    associationsShown = most;
  }

  /** The records on whose timeline a meeting is, as {@code contacts:9001}. */
  public synchronized Set<String> timelines(String meeting) {
    Set<String> found = new LinkedHashSet<>();
    for (String id : associations.getOrDefault(meeting, Set.of())) {
      HubSpotRecord record = records.get(id);
      if (record != null) {
        found.add(record.kind() + ":" + id);
      }
    }
    return found;
  }

  /** An object as every answer shows it. */
  static Map<String, Object> shown(String id, Object properties) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("id", id);
    shown.put("properties", properties);
    shown.put("createdAt", THEN);
    shown.put("updatedAt", THEN);
    shown.put("archived", false);
    return shown;
  }

  synchronized Map<String, Object> createContact(JsonNode properties) {
    String email = FakeRequest.text(properties, "email");
    if (records.values().stream().anyMatch(it -> email.equals(it.properties().get("email")))) {
      throw FakeApiError.blameless(409, "CONFLICT", "Contact already exists");
    }
    return shown(contact(email), properties);
  }

  synchronized Map<String, Object> createMeeting(JsonNode properties) {
    String id = Integer.toString(++ids);
    meetings.put(id, new FakeCrm.CrmNote(id, properties, 1));
    return shown(id, properties);
  }

  /** Objects that one group's filters all fit; only equality is known here. */
  synchronized FakeReply search(String kind, JsonNode body) {
    FakeRequest.only(
        body, "the request", "filterGroups", "sorts", "query", "properties", "limit", "after");
    List<Object> results = new ArrayList<>();
    for (HubSpotRecord record : records.values()) {
      if (record.kind().equals(kind)
          && body.path("filterGroups").valueStream().anyMatch(group -> fits(record, group))) {
        results.add(shown(record.id(), record.properties()));
      }
    }
    return FakeReply.JsonReply.of(Map.of("total", results.size(), "results", results));
  }

  private static boolean fits(HubSpotRecord record, JsonNode group) {
    return group
        .path("filters")
        .valueStream()
        .allMatch(
            filter -> {
              if (!filter.path("operator").asString("").equals("EQ")) {
                throw new FakeApiError(400, "the stand-in knows the operator EQ alone");
              }
              return FakeRequest.text(filter, "value")
                  .equals(record.properties().get(FakeRequest.text(filter, "propertyName")));
            });
  }

  synchronized Map<String, FakeCrm.CrmNote> meetings() {
    return Map.copyOf(meetings);
  }

  synchronized boolean isOwner(String account, String id) {
    AccountOwner owner = owners.get(id);
    return owner != null && owner.account().equals(account);
  }

  synchronized FakeCrm.CrmNote upsert(String key, JsonNode properties) {
    FakeCrm.CrmNote known = meetings.get(key);
    if (known != null && known.body().equals(properties)) {
      return known;
    }
    FakeCrm.CrmNote note =
        new FakeCrm.CrmNote(
            known == null ? Integer.toString(++ids) : known.id(),
            properties,
            known == null ? 1 : known.versions() + 1);
    meetings.put(key, note);
    return note;
  }

  synchronized FakeReply owners(String account, FakeRequest request) {
    List<Object> results = new ArrayList<>();
    owners.forEach(
        (id, known) -> {
          String email = known.email();
          if (known.account().equals(account)
              && request.parameter("email").map(email::equalsIgnoreCase).orElse(true)) {
            Map<String, Object> owner = shown(id, Map.of());
            Object _ = owner.remove("properties");
            owner.put("email", email);
            owner.put("type", "PERSON");
            results.add(owner);
          }
        });
    return FakeReply.JsonReply.of(Map.of("results", results));
  }

  /** Objects that do not exist are left out of the results and listed among the errors. */
  synchronized FakeReply read(String kind, JsonNode body) {
    FakeRequest.only(
        body, "the request", "inputs", "properties", "idProperty", "propertiesWithHistory");
    if (!body.path("properties").isArray() || !body.path("propertiesWithHistory").isArray()) {
      throw new FakeApiError(400, "properties and propertiesWithHistory must be lists");
    }
    String by = body.path("idProperty").asString("");
    List<Object> results = new ArrayList<>();
    int missing = 0;
    for (String key : ids(body, READ_MAX)) {
      Optional<HubSpotRecord> found =
          records.values().stream()
              .filter(record -> record.kind().equals(kind))
              .filter(
                  record ->
                      by.isEmpty()
                          ? record.id().equals(key)
                          : key.equalsIgnoreCase(record.properties().get(by)))
              .findFirst();
      if (found.isPresent()) {
        results.add(shown(found.get().id(), found.get().properties()));
      } else {
        missing++;
      }
    }
    return batch(200, results, missing, "Could not get some " + kind);
  }

  /** What is left after an answer begins at the {@code after} of its {@code paging}. */
  synchronized FakeReply readAssociations(String from, String to, JsonNode body) {
    FakeRequest.only(body, "the request", "inputs");
    List<Object> results = new ArrayList<>();
    int missing = 0;
    for (JsonNode input : inputs(body, ASSOCIATIONS_MAX)) {
      FakeRequest.only(input, "an input", "id", "after");
      String id = FakeRequest.text(input, "id");
      List<HubSpotRecord> all =
          associations.getOrDefault(id, Set.of()).stream()
              .flatMap(other -> Optional.ofNullable(records.get(other)).stream())
              .filter(record -> record.kind().equals(to))
              .toList();
      int begin = input.has("after") ? place(FakeRequest.text(input, "after")) : 0;
      int end = Math.min(all.size(), begin + associationsShown);
      if (begin >= end) {
        missing++;
      } else {
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("from", Map.of("id", id));
        result.put("to", all.subList(begin, end).stream().map(other -> target(id, other)).toList());
        if (end < all.size()) {
          result.put(
              "paging", Map.of("next", Map.of("after", Integer.toString(end), "link", "?after")));
        }
        results.add(result);
      }
    }
    return batch(200, results, missing, "No " + to + " is associated with " + from);
  }

  private static int place(String after) {
    if (!after.matches("[1-9]\\d{0,6}")) {
      throw new FakeApiError(400, "after is none of a paging");
    }
    return Integer.parseInt(after);
  }

  private Map<String, Object> target(String from, HubSpotRecord other) {
    return Map.of(
        "toObjectId",
        other.id(),
        "associationTypes",
        primary.contains(from + ">" + other.id())
            ? List.of(type(1, "Primary"), type(279, ""))
            : List.of(type(279, "")));
  }

  synchronized FakeReply associate(String from, String to, JsonNode body) {
    FakeRequest.only(body, "the request", "inputs");
    if (!from.equals("meetings")) {
      throw new FakeApiError(400, "only meetings are associated here");
    }
    JsonNode inputs = body.path("inputs");
    if (!inputs.isArray() || inputs.isEmpty() || inputs.size() > ASSOCIATIONS_MAX) {
      throw new FakeApiError(400, "inputs must hold 1 to 1000 pairs");
    }
    List<Object> results = new ArrayList<>();
    int missing = 0;
    for (JsonNode input : inputs) {
      JsonNode type = input.path("types").path(0);
      if (!type.path("associationCategory").asString("").equals("HUBSPOT_DEFINED")
          || type.path("associationTypeId").asInt(0) != TYPES.getOrDefault(to, -1)) {
        throw new FakeApiError(400, "invalid association type from meetings to " + to);
      }
      String meeting = input.path("from").path("id").asString("");
      String target = input.path("to").path("id").asString("");
      HubSpotRecord record = records.get(target);
      boolean known = meetings.values().stream().anyMatch(note -> note.id().equals(meeting));
      if (!known || record == null || !record.kind().equals(to)) {
        missing++;
      } else {
        associations.computeIfAbsent(meeting, id -> new LinkedHashSet<>()).add(target);
        results.add(
            Map.of(
                "fromObjectTypeId",
                "0-47",
                "fromObjectId",
                meeting,
                "toObjectTypeId",
                "0-1",
                "toObjectId",
                target,
                "labels",
                List.of()));
      }
    }
    return batch(201, results, missing, "One or more objects are invalid");
  }

  private static Map<String, Object> type(int id, String label) {
    return Map.of("category", "HUBSPOT_DEFINED", "typeId", id, "label", label);
  }

  private static FakeReply batch(int status, List<Object> results, int missing, String message) {
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("status", "COMPLETE");
    answer.put("results", results);
    answer.put("startedAt", THEN);
    answer.put("completedAt", THEN);
    if (missing > 0) {
      answer.put("numErrors", missing);
      answer.put("errors", List.of(FakeHubSpot.error("OBJECT_NOT_FOUND", message)));
    }
    return new FakeReply.JsonReply(missing > 0 ? 207 : status, Map.of(), answer);
  }

  private static List<String> ids(JsonNode body, int most) {
    return inputs(body, most).stream().map(input -> FakeRequest.text(input, "id")).toList();
  }

  private static List<JsonNode> inputs(JsonNode body, int most) {
    JsonNode inputs = body.path("inputs");
    if (!inputs.isArray() || inputs.isEmpty() || inputs.size() > most) {
      throw new FakeApiError(400, "inputs must hold 1 to " + most + " ids");
    }
    return inputs.valueStream().toList();
  }

  private String add(String kind, Map<String, String> properties) {
    String id = Integer.toString(++ids);
    records.put(id, new HubSpotRecord(kind, id, properties));
    return id;
  }

  private void link(String from, String to) {
    associations.computeIfAbsent(from, id -> new LinkedHashSet<>()).add(to);
  }
}
