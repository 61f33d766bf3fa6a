package io.convoke.lab.sim.control;

import io.convoke.lab.sim.daily.DailyApi;
import io.convoke.lab.sim.fault.Faults;
import io.convoke.lab.sim.http.Answer;
import io.convoke.lab.sim.http.Around;
import io.convoke.lab.sim.http.Call;
import io.convoke.lab.sim.http.Fields;
import io.convoke.lab.sim.http.Handler;
import io.convoke.lab.sim.http.Json;
import io.convoke.lab.sim.http.Web;
import io.convoke.lab.sim.script.Lobbies;
import io.convoke.lab.sim.script.Parsed;
import io.convoke.lab.sim.script.Player;
import io.convoke.lab.sim.script.Scenario;
import io.convoke.lab.sim.script.ScenarioReader;
import io.convoke.lab.sim.webhook.Endpoint;
import io.convoke.lab.sim.webhook.Sender;
import io.convoke.lab.sim.world.RoomView;
import io.convoke.lab.sim.world.World;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import tools.jackson.databind.JsonNode;

/** Looks at the simulation and changes its faults; {@link HandApi} moves people. */
public final class ControlApi {

  private static final String LAG = "presence_lag_s";
  private static final String TIME_ERROR = "presence_time_error_s";
  private static final List<String> SETTINGS = List.of(LAG, TIME_ERROR);

  private final World world;
  private final Sender sender;
  private final Faults faults;
  private final DailyApi api;
  private final Player player;
  private final double speed;
  private final Supplier<Truth> truth;

  public ControlApi(
      World world,
      Sender sender,
      Faults faults,
      DailyApi api,
      Player player,
      double speed,
      Supplier<Truth> truth) {
    this.world = world;
    this.sender = sender;
    this.faults = faults;
    this.api = api;
    this.player = player;
    this.speed = speed;
    this.truth = truth;
  }

  /** Adds the routes; only callers on this machine are heard. */
  public void register(Web web) {
    web.route("GET /control/state", ControlApi::localOnly, this::state);
    web.route("GET /control/truth", ControlApi::localOnly, this::truth);
    web.route("PATCH /control/faults", ControlApi::localOnly, this::setFaults);
    web.route("DELETE /control/faults", ControlApi::localOnly, this::clearFaults);
    web.route("PATCH /control/settings", ControlApi::localOnly, this::setSettings);
    web.route("POST /control/scenarios", ControlApi::localOnly, this::play);
    new HandApi(world).register(web, ControlApi::localOnly);
    Around local = ControlApi::localOnly;
    web.otherwise("/control", local, call -> refusal(404, "there is no such control"));
  }

  private static Answer localOnly(Call call, Handler handler) {
    return call.local()
        ? handler.handle(call)
        : refusal(403, "the control API answers callers on this machine only");
  }

  private Answer state(Call call) {
    Truth now = truth.get();
    return Answer.ok(
        Fields.of("scenario", player.playing())
            .put("seed", now.seed())
            .put("speed", speed)
            .put("now", Json.time(now.at()))
            .put(LAG, api.presence().lag().toMillis() / 1000.0)
            .put(TIME_ERROR, api.presence().timeError().toMillis() / 1000.0)
            .put("faults", FaultWire.wire(faults))
            .put("webhook", sender.registry().current().map(this::webhook))
            .put("rooms", world.look().stream().map(ControlApi::room).toList())
            .put("upcoming", player.upcoming().stream().map(ControlApi::planned).toList())
            .put("requests", now.requests())
            .map());
  }

  private Answer truth(Call call) {
    Optional<String> after = call.query("after");
    if (after.isEmpty()) {
      return Answer.ok(TruthWire.wire(truth.get()));
    }
    try {
      return Answer.ok(TruthWire.wire(truth.get().after(Instant.parse(after.get()))));
    } catch (DateTimeParseException unreadable) {
      return refusal(400, "after is an instant such as 2026-03-02T09:00:00Z");
    }
  }

  private static Map<String, Object> planned(Player.Planned planned) {
    return Fields.of("room", planned.gathering().room())
        .put("title", planned.gathering().title())
        .put("starts_at", Json.time(planned.startsAt()))
        .put("people", planned.gathering().people().size())
        .map();
  }

  private Answer play(Call call) {
    return switch (ScenarioReader.read(call.body())) {
      case Parsed.Good(Scenario scenario) -> {
        player.play(scenario);
        yield Answer.ok(Fields.of("playing", scenario.name()).map());
      }
      case Parsed.Faulty(List<String> faulty) -> refusal(400, String.join("; ", faulty));
    };
  }

  private Map<String, Object> webhook(Endpoint endpoint) {
    return Fields.of("uuid", endpoint.uuid())
        .put("url", endpoint.url().toString())
        .put("retry_type", endpoint.retryType().wireName())
        .put("state", endpoint.state().name())
        .put("failed_count", endpoint.failedCount())
        .put("last_moment_pushed", endpoint.lastMomentPushed().map(Json::time))
        .put("pending", sender.ledger().pending())
        .map();
  }

  static Map<String, Object> room(RoomView view) {
    return Fields.of("name", view.room().name())
        .put("lobby", Lobbies.write(view.room().lobby()))
        .put("meeting_id", view.meetingId())
        .put("participants", view.present().stream().map(TruthWire::session).toList())
        .put("waiting", view.waiting())
        .map();
  }

  private Answer setFaults(Call call) {
    return withBody(
        call,
        body ->
            FaultWire.apply(body, faults)
                .map(fault -> refusal(400, fault))
                .orElseGet(() -> Answer.ok(FaultWire.wire(faults))));
  }

  private Answer clearFaults(Call call) {
    faults.clear();
    return Answer.ok(FaultWire.wire(faults));
  }

  private Answer setSettings(Call call) {
    return withBody(
        call,
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
          Fields set = new Fields();
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
          return Answer.ok(set.map());
        });
  }

  static Answer withBody(Call call, Function<JsonNode, Answer> action) {
    Optional<JsonNode> body = call.json();
    return body.map(action).orElseGet(() -> refusal(400, "the body is not a JSON object"));
  }

  static Answer refusal(int status, String info) {
    return Answer.json(status, Fields.of("error", "control-error").put("info", info).map());
  }
}
