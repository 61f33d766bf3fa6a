package io.convoke.simulator;

import io.convoke.simulator.control.ControlApi;
import io.convoke.simulator.control.SimulationTruth;
import io.convoke.simulator.daily.DailyApi;
import io.convoke.simulator.daily.PresenceApi;
import io.convoke.simulator.daily.RequestLog;
import io.convoke.simulator.daily.RequestRecord;
import io.convoke.simulator.fault.FaultSwitches;
import io.convoke.simulator.http.SimHttpServer;
import io.convoke.simulator.room.RoomProtocol;
import io.convoke.simulator.script.ScriptRunner;
import io.convoke.simulator.script.ScriptedMeeting;
import io.convoke.simulator.script.SimulationScript;
import io.convoke.simulator.state.Recording;
import io.convoke.simulator.state.SimulationState;
import io.convoke.simulator.time.RealTimeClock;
import io.convoke.simulator.time.SeededRandom;
import io.convoke.simulator.time.SimulationClock;
import io.convoke.simulator.webhook.WebhookDelivery;
import io.convoke.simulator.webhook.WebhookRegistry;
import io.convoke.simulator.webhook.WebhookSender;
import java.net.URI;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * A running platform simulator: its address, its world, its faults, and what really happened.
 *
 * <pre>{@code
 * try (Simulator sim = Simulator.start(SimulatorConfig.defaults())) {
 *   sim.world().create(RoomRequest.named("standup"));
 *   sim.world().join("standup", Visitor.named("Ada"));
 *   sim.awaitWebhook(d -> d.envelope().type().equals("participant.joined"), Duration.ofSeconds(5));
 * }
 * }</pre>
 */
public final class Simulator implements AutoCloseable {

  private final SimulatorConfig options;
  private final SimulationClock time;
  private final SimulationState simulationState;
  private final FaultSwitches faultSwitches;
  private final WebhookSender webhookSender;
  private final DailyApi api;
  private final RoomProtocol protocol;
  private final ScriptRunner scriptRunner;
  private final SimHttpServer simHttpServer = new SimHttpServer();
  private volatile URI url = URI.create("http://localhost");

  private Simulator(SimulatorConfig options) {
    this.options = options;
    this.time = options.time().orElseGet(() -> new RealTimeClock(options.speed()));
    SeededRandom seededRandom = new SeededRandom(options.seed(), time.instant().toEpochMilli());
    this.simulationState = new SimulationState(time, seededRandom, options.timings());
    this.faultSwitches = new FaultSwitches(options.seed());
    this.webhookSender = new WebhookSender(time, seededRandom, faultSwitches, options.sending());
    this.api = new DailyApi(simulationState, time, webhookSender.registry(), faultSwitches);
    this.scriptRunner = new ScriptRunner(simulationState, time);
    this.protocol =
        new RoomProtocol(
            simulationState,
            time,
            options.timings(),
            api.tokens(),
            options.openRooms(),
            () -> url.toString());
  }

  /** Starts listening. Rooms stay empty until a script or a caller adds participants. */
  public static Simulator start(SimulatorConfig options) {
    Simulator simulator = new Simulator(options);
    simulator.listen();
    return simulator;
  }

  private void listen() {
    simulationState.subscribe(webhookSender);
    api.presence().lag(options.presenceLag());
    options.webhook().ifPresent(webhookSender.registry()::preset);
    api.register(
        simHttpServer,
        options.apiKey(),
        options.rateLimits(),
        options.timings(),
        () -> url.toString());
    protocol.register(simHttpServer);
    new ControlApi(
            simulationState,
            webhookSender,
            faultSwitches,
            api,
            scriptRunner,
            options.speed(),
            this::truth)
        .register(simHttpServer);
    int port = simHttpServer.start(options.host(), options.port());
    url = URI.create("http://" + options.host() + ":" + port);
  }

  /** The address, without a path. */
  public URI url() {
    return url;
  }

  /** The address of the REST API, ending in {@code /v1}. */
  public URI apiUrl() {
    return URI.create(url + "/v1");
  }

  /** The address that a bot joins a room at. */
  public URI roomUrl(String room) {
    return URI.create(url + "/rooms/" + room);
  }

  public String apiKey() {
    return options.apiKey();
  }

  public SimulationClock time() {
    return time;
  }

  /** Rooms and participants; changes take effect at once. */
  public SimulationState world() {
    return simulationState;
  }

  /** Sends the people of a scenario, starting now. */
  public void play(SimulationScript simulationScript) {
    scriptRunner.play(simulationScript);
  }

  /** Sends the people of an endless script, such as an office day, starting now. */
  public void playForever(String name, Iterator<ScriptedMeeting> script) {
    scriptRunner.playForever(name, script);
  }

  /** Scripted meetings that have not begun, soonest first; their rooms exist already. */
  public List<ScriptRunner.UpcomingMeeting> upcoming() {
    return scriptRunner.upcoming();
  }

  public FaultSwitches faults() {
    return faultSwitches;
  }

  /** The registered webhook and its circuit breaker. */
  public WebhookRegistry webhooks() {
    return webhookSender.registry();
  }

  public PresenceApi presence() {
    return api.presence();
  }

  /**
   * Replaces the content of whole recordings, because speech takes a while to synthesise; called
   * once for each request.
   */
  public void sounding(Function<Recording, byte[]> file) {
    api.sounding(file);
  }

  /** API requests so far. */
  public RequestLog requests() {
    return api.log();
  }

  /** Everything that really happened so far. */
  public SimulationTruth truth() {
    return new SimulationTruth(
        options.seed(),
        time.instant(),
        simulationState.meetings().reversed(),
        simulationState.recordings().reversed(),
        webhookSender.ledger().entries(),
        api.log().counts(),
        simulationState.forgotten());
  }

  /** Waits until an event is in a state that is wanted, for example delivered. */
  public WebhookDelivery awaitWebhook(Predicate<? super WebhookDelivery> wanted, Duration timeout)
      throws TimeoutException {
    return webhookSender.ledger().await(wanted, timeout);
  }

  /** Waits until no event is in delivery or waits for a retry. */
  public void awaitQuiet(Duration timeout) throws TimeoutException {
    webhookSender.ledger().awaitQuiet(timeout);
  }

  /** Waits until an API request that is wanted has been answered; one of the latest counts too. */
  public RequestRecord awaitRequest(Predicate<? super RequestRecord> wanted, Duration timeout)
      throws TimeoutException {
    return api.log().await(wanted, timeout);
  }

  @Override
  public void close() {
    time.close();
    protocol.close();
    simHttpServer.close();
    webhookSender.close();
  }
}
