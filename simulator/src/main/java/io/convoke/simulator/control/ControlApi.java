package io.convoke.simulator.control;

import io.convoke.simulator.daily.DailyApi;
import io.convoke.simulator.fault.FaultSwitches;
import io.convoke.simulator.http.JsonObjectBuilder;
import io.convoke.simulator.http.RequestFilter;
import io.convoke.simulator.http.RequestHandler;
import io.convoke.simulator.http.SimHttpServer;
import io.convoke.simulator.http.SimJson;
import io.convoke.simulator.http.SimRequest;
import io.convoke.simulator.http.SimResponse;
import io.convoke.simulator.script.LobbyFormat;
import io.convoke.simulator.script.ScenarioParseResult;
import io.convoke.simulator.script.ScenarioReader;
import io.convoke.simulator.script.ScriptRunner;
import io.convoke.simulator.script.SimulationScript;
import io.convoke.simulator.state.RoomView;
import io.convoke.simulator.state.SimulationState;
import io.convoke.simulator.webhook.WebhookEndpoint;
import io.convoke.simulator.webhook.WebhookSender;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import tools.jackson.databind.JsonNode;

/** Looks at the simulation and changes its faults; {@link ManualControlApi} moves people. */
public final class ControlApi {

  private static final String LAG = "presence_lag_s";
  private static final String TIME_ERROR = "presence_time_error_s";
  private static final List<String> SETTINGS = List.of(LAG, TIME_ERROR);

  private final SimulationState simulationState;
  private final WebhookSender webhookSender;
  private final FaultSwitches faultSwitches;
  private final DailyApi api;
  private final ScriptRunner scriptRunner;
  private final double speed;
  private final Supplier<SimulationTruth> truth;

  public ControlApi(
      SimulationState simulationState,
      WebhookSender webhookSender,
      FaultSwitches faultSwitches,
      DailyApi api,
      ScriptRunner scriptRunner,
      double speed,
      Supplier<SimulationTruth> truth) {
    this.simulationState = simulationState;
    this.webhookSender = webhookSender;
    this.faultSwitches = faultSwitches;
    this.api = api;
    this.scriptRunner = scriptRunner;
    this.speed = speed;
    this.truth = truth;
  }

  /** Adds the routes; only callers on this machine are allowed. */
  public void register(SimHttpServer simHttpServer) {
    simHttpServer.route("GET /control/state", ControlApi::localOnly, this::state);
    simHttpServer.route("GET /control/truth", ControlApi::localOnly, this::truth);
    simHttpServer.route("PATCH /control/faults", ControlApi::localOnly, this::setFaults);
    simHttpServer.route("DELETE /control/faults", ControlApi::localOnly, this::clearFaults);
    simHttpServer.route("PATCH /control/settings", ControlApi::localOnly, this::setSettings);
    simHttpServer.route("POST /control/scenarios", ControlApi::localOnly, this::play);
    new ManualControlApi(simulationState).register(simHttpServer, ControlApi::localOnly);
    RequestFilter local = ControlApi::localOnly;
    simHttpServer.otherwise(
        "/control", local, simRequest -> refusal(404, "there is no such control"));
  }

  private static SimResponse localOnly(SimRequest simRequest, RequestHandler requestHandler) {
    return simRequest.local()
        ? requestHandler.handle(simRequest)
        : refusal(403, "the control API answers callers on this machine only");
  }

  private SimResponse state(SimRequest simRequest) {
    SimulationTruth now = truth.get();
    return SimResponse.ok(
        JsonObjectBuilder.of("scenario", scriptRunner.playing())
            .put("seed", now.seed())
            .put("speed", speed)
            .put("now", SimJson.time(now.at()))
            .put(LAG, api.presence().lag().toMillis() / 1000.0)
            .put(TIME_ERROR, api.presence().timeError().toMillis() / 1000.0)
            .put("faults", FaultJson.wire(faultSwitches))
            .put("webhook", webhookSender.registry().current().map(this::webhook))
            .put("rooms", simulationState.roomViews().stream().map(ControlApi::room).toList())
            .put("upcoming", scriptRunner.upcoming().stream().map(ControlApi::planned).toList())
            .put("requests", now.requests())
            .map());
  }

  private SimResponse truth(SimRequest simRequest) {
    Optional<String> after = simRequest.query("after");
    if (after.isEmpty()) {
      return SimResponse.ok(SimulationTruthJson.wire(truth.get()));
    }
    try {
      return SimResponse.ok(
          SimulationTruthJson.wire(truth.get().after(Instant.parse(after.get()))));
    } catch (DateTimeParseException unreadable) {
      return refusal(400, "after is an instant such as 2026-03-02T09:00:00Z");
    }
  }

  private static Map<String, Object> planned(ScriptRunner.UpcomingMeeting upcomingMeeting) {
    return JsonObjectBuilder.of("room", upcomingMeeting.gathering().room())
        .put("title", upcomingMeeting.gathering().title())
        .put("starts_at", SimJson.time(upcomingMeeting.startsAt()))
        .put("people", upcomingMeeting.gathering().people().size())
        .map();
  }

  private SimResponse play(SimRequest simRequest) {
    return switch (ScenarioReader.read(simRequest.body())) {
      case ScenarioParseResult.ValidScenario(SimulationScript simulationScript) -> {
        scriptRunner.play(simulationScript);
        yield SimResponse.ok(JsonObjectBuilder.of("playing", simulationScript.name()).map());
      }
      case ScenarioParseResult.InvalidScenario(List<String> faulty) ->
          refusal(400, String.join("; ", faulty));
    };
  }

  private Map<String, Object> webhook(WebhookEndpoint webhookEndpoint) {
    return JsonObjectBuilder.of("uuid", webhookEndpoint.uuid())
        .put("url", webhookEndpoint.url().toString())
        .put("retry_type", webhookEndpoint.retryType().wireName())
        .put("state", webhookEndpoint.state().name())
        .put("failed_count", webhookEndpoint.failedCount())
        .put("last_moment_pushed", webhookEndpoint.lastMomentPushed().map(SimJson::time))
        .put("pending", webhookSender.ledger().pending())
        .map();
  }

  static Map<String, Object> room(RoomView view) {
    return JsonObjectBuilder.of("name", view.room().name())
        .put("lobby", LobbyFormat.write(view.room().lobby()))
        .put("meeting_id", view.meetingId())
        .put("participants", view.present().stream().map(SimulationTruthJson::session).toList())
        .put("waiting", view.waiting())
        .map();
  }

  private SimResponse setFaults(SimRequest simRequest) {
    return withBody(
        simRequest,
        body ->
            FaultJson.apply(body, faultSwitches)
                .map(fault -> refusal(400, fault))
                .orElseGet(() -> SimResponse.ok(FaultJson.wire(faultSwitches))));
  }

  private SimResponse clearFaults(SimRequest simRequest) {
    faultSwitches.clear();
    return SimResponse.ok(FaultJson.wire(faultSwitches));
  }

  private SimResponse setSettings(SimRequest simRequest) {
    return withBody(
        simRequest,
        body -> {
          List<String> names = SETTINGS.stream().filter(body::has).toList();
          if (names.isEmpty()) {
            return refusal(400, "the settings are " + String.join(" and ", SETTINGS));
          }
          for (String name : names) {
            double seconds = body.path(name).isNumber() ? body.path(name).doubleValue() : -1;
            if (!(seconds >= 0 && seconds <= 15)) {
              return refusal(400, name + " is from 0 to 15");
            }
          }
          JsonObjectBuilder set = new JsonObjectBuilder();
          for (String name : names) {
            double seconds = body.path(name).doubleValue();
            Duration span = Duration.ofMillis(Math.round(seconds * 1000));
            if (name.equals(LAG)) {
              api.presence().lag(span);
            } else {
              api.presence().timeError(span);
            }
            set.put(name, seconds);
          }
          return SimResponse.ok(set.map());
        });
  }

  static SimResponse withBody(SimRequest simRequest, Function<JsonNode, SimResponse> action) {
    Optional<JsonNode> body = simRequest.json();
    return body.map(action).orElseGet(() -> refusal(400, "the body is not a JSON object"));
  }

  static SimResponse refusal(int status, String info) {
    return SimResponse.json(
        status, JsonObjectBuilder.of("error", "control-error").put("info", info).map());
  }
}
