package io.convoke.server.crm;

import io.convoke.engine.json.Json;
import io.convoke.server.crm.CrmHttpClient.CrmReply;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;

/**
 * Associates a meeting, which is on no timeline otherwise: with the contacts that have its
 * attendees' addresses, with the primary company of each, and with their deal if exactly one is
 * open. Contacts are not created. Repetition changes nothing.
 */
final class HubSpotTimelines {
  private static final int READ_MAX = 100;

  /** Answers that are read of one contact's associations with a kind. */
  private static final int PAGES_MAX = 10;

  private static final int PRIMARY_COMPANY = 1;

  /** HubSpot's types from a meeting. */
  private static final int TO_CONTACT = 200;

  private static final int TO_COMPANY = 188;
  private static final int TO_DEAL = 212;

  private final String root;
  private final CrmHttpClient http;
  private final Map<String, String> headers;
  private final Runnable unauthorized;

  /** {@code unauthorized} is told when the account refuses its token. */
  HubSpotTimelines(
      String root, CrmHttpClient http, Map<String, String> headers, Runnable unauthorized) {
    this.root = root;
    this.http = http;
    this.headers = headers;
    this.unauthorized = unauthorized;
  }

  /** The result for a meeting. */
  sealed interface TimelinesResult {
    /** {@code detail} counts what it is associated with. */
    record MeetingAssociated(String detail) implements TimelinesResult {}

    record AssociationRefused(String why) implements TimelinesResult {}
  }

  /** Associates; throws as the client does, and when the token is refused. */
  TimelinesResult associate(String meeting, List<String> addresses)
      throws IOException, InterruptedException {
    List<String> notes = new ArrayList<>();
    Set<String> contacts = contacts(addresses, notes);
    if (contacts.isEmpty()) {
      notes.addFirst("no contact");
      return new TimelinesResult.MeetingAssociated(String.join(", ", notes));
    }
    Map<String, Set<String>> targets = new LinkedHashMap<>();
    targets.put("contacts", contacts);
    targets.put("companies", companies(contacts, notes));
    targets.put("deals", deals(contacts, notes));
    List<String> found = new ArrayList<>();
    for (var target : targets.entrySet()) {
      Optional<String> refused = associate(meeting, target.getKey(), target.getValue());
      if (refused.isPresent()) {
        return new TimelinesResult.AssociationRefused(refused.get());
      }
      if (!target.getValue().isEmpty()) {
        found.add(target.getValue().size() + " " + target.getKey());
      }
    }
    found.addAll(notes);
    return new TimelinesResult.MeetingAssociated(String.join(", ", found));
  }

  private Set<String> contacts(List<String> addresses, List<String> notes)
      throws IOException, InterruptedException {
    Set<String> contacts = new TreeSet<>();
    for (List<String> some : batches(addresses)) {
      read("contacts", Optional.of("email"), List.of("email"), some, notes)
          .orElse(List.of())
          .forEach(contact -> contacts.add(contact.path("id").asString("")));
    }
    return contacts;
  }

  private Set<String> companies(Set<String> contacts, List<String> notes)
      throws IOException, InterruptedException {
    Set<String> companies = new TreeSet<>();
    for (List<JsonNode> all : associated(contacts, "companies", notes)) {
      all.stream()
          .filter(company -> all.size() == 1 || primary(company))
          .forEach(company -> companies.add(company.path("toObjectId").asString("")));
    }
    return companies;
  }

  private Set<String> deals(Set<String> contacts, List<String> notes)
      throws IOException, InterruptedException {
    Set<String> known = new LinkedHashSet<>();
    for (List<JsonNode> all : associated(contacts, "deals", notes)) {
      all.forEach(deal -> known.add(deal.path("toObjectId").asString("")));
    }
    Set<String> open = new TreeSet<>();
    for (List<String> some : batches(List.copyOf(known))) {
      Optional<List<JsonNode>> read =
          read("deals", Optional.empty(), List.of("hs_is_closed"), some, notes);
      if (read.isEmpty()) {
        // Others may be open.
        return Set.of();
      }
      for (JsonNode deal : read.get()) {
        if (!deal.path("properties").path("hs_is_closed").asString("").equals("true")) {
          open.add(deal.path("id").asString(""));
        }
      }
    }
    if (open.size() > 1) {
      notes.add(open.size() + " open deals, none chosen");
      return Set.of();
    }
    return open;
  }

  /** A part of a contact's associations; {@code after} is empty for the first one. */
  private record AssociationsPage(String contact, String after) {
    Map<String, String> input() {
      return after.isEmpty() ? Map.of("id", contact) : Map.of("id", contact, "after", after);
    }
  }

  /**
   * What each contact is associated with. HubSpot answers many associations in parts; a contact
   * with more than are read here is left out, as a part of its deals may not show which are open,
   * and so is one of whom a later part is not answered.
   */
  private Collection<List<JsonNode>> associated(
      Set<String> contacts, String kind, List<String> notes)
      throws IOException, InterruptedException {
    Map<String, List<JsonNode>> found = new LinkedHashMap<>();
    List<AssociationsPage> asked =
        contacts.stream().map(contact -> new AssociationsPage(contact, "")).toList();
    for (int page = 0; page < PAGES_MAX && !asked.isEmpty(); page++) {
      List<AssociationsPage> next = new ArrayList<>();
      for (List<AssociationsPage> some : batches(asked)) {
        Object body = Map.of("inputs", some.stream().map(AssociationsPage::input).toList());
        String path = "/crm/v4/associations/contacts/" + kind + "/batch/read";
        Set<String> unanswered = new TreeSet<>();
        some.forEach(part -> unanswered.add(part.contact()));
        for (JsonNode result : results(path, body, kind, notes).orElse(List.of())) {
          String contact = result.path("from").path("id").asString("");
          boolean _ = unanswered.remove(contact);
          List<JsonNode> all = found.computeIfAbsent(contact, _ -> new ArrayList<>());
          result.path("to").forEach(all::add);
          String after = result.path("paging").path("next").path("after").asString("");
          if (!after.isEmpty()) {
            next.add(new AssociationsPage(contact, after));
          }
        }
        for (String contact : unanswered) {
          if (found.remove(contact) != null) {
            notes.add("not all " + kind + " of contact " + contact);
          }
        }
      }
      asked = next;
    }
    for (AssociationsPage unread : asked) {
      var _ = found.remove(unread.contact());
      notes.add("too many " + kind + " of contact " + unread.contact());
    }
    return found.values();
  }

  private Optional<List<JsonNode>> read(
      String kind,
      Optional<String> idProperty,
      List<String> properties,
      List<String> some,
      List<String> notes)
      throws IOException, InterruptedException {
    Map<String, Object> body = new LinkedHashMap<>();
    idProperty.ifPresent(name -> body.put("idProperty", name));
    body.put("properties", properties);
    body.put("propertiesWithHistory", List.of());
    body.put("inputs", ids(some));
    return results("/crm/v3/objects/" + kind + "/batch/read", body, kind, notes);
  }

  /**
   * Results of a lookup. What does not exist is an error among them, and no failure; nor is a key
   * that may not read this kind: the answer is empty if the lookup is refused.
   */
  private Optional<List<JsonNode>> results(
      String path, Object body, String kind, List<String> notes)
      throws IOException, InterruptedException {
    return switch (post(path, body)) {
      case CrmReply.CrmAnswer answer ->
          Optional.of(answer.body().path("results").valueStream().toList());
      case CrmReply.CrmRefusal refusal -> {
        String note =
            refusal.keyRefused()
                ? "the token may not read " + kind
                : kind + " not looked up: " + refusal.why();
        if (!notes.contains(note)) {
          notes.add(note);
        }
        yield Optional.empty();
      }
    };
  }

  /** Why it was refused. */
  private Optional<String> associate(String meeting, String kind, Set<String> targets)
      throws IOException, InterruptedException {
    for (List<String> some : batches(List.copyOf(targets))) {
      List<Object> inputs = new ArrayList<>();
      for (String target : some) {
        inputs.add(
            Map.of(
                "from",
                Map.of("id", meeting),
                "to",
                Map.of("id", target),
                "types",
                List.of(
                    Map.of(
                        "associationCategory",
                        "HUBSPOT_DEFINED",
                        "associationTypeId",
                        type(kind)))));
      }
      CrmReply reply =
          post("/crm/v4/associations/meetings/" + kind + "/batch/create", Map.of("inputs", inputs));
      switch (reply) {
        case CrmReply.CrmRefusal refusal -> {
          if (refusal.keyRefused()) {
            throw new IOException(refusal.why());
          }
          return Optional.of(refusal.why());
        }
        case CrmReply.CrmAnswer answer -> {
          if (!answer.errors().isEmpty()) {
            return Optional.of(answer.errors());
          }
        }
      }
    }
    return Optional.empty();
  }

  /** Sends. A token that has ended since the upsert says nothing about a kind. */
  private CrmReply post(String path, Object body) throws IOException, InterruptedException {
    CrmReply reply = http.post(URI.create(root + path), Json.bytes(body), headers);
    if (reply instanceof CrmReply.CrmRefusal refusal && refusal.status() == 401) {
      unauthorized.run();
      throw new IOException(refusal.why());
    }
    return reply;
  }

  private static int type(String kind) {
    return switch (kind) {
      case "contacts" -> TO_CONTACT;
      case "companies" -> TO_COMPANY;
      default -> TO_DEAL;
    };
  }

  private static boolean primary(JsonNode company) {
    return company
        .path("associationTypes")
        .valueStream()
        .anyMatch(type -> type.path("typeId").asInt(0) == PRIMARY_COMPANY);
  }

  private static List<Map<String, String>> ids(List<String> some) {
    return some.stream().map(id -> Map.of("id", id)).toList();
  }

  private static <T> List<List<T>> batches(List<T> all) {
    List<List<T>> batches = new ArrayList<>();
    for (int from = 0; from < all.size(); from += READ_MAX) {
      batches.add(all.subList(from, Math.min(all.size(), from + READ_MAX)));
    }
    return batches;
  }
}
