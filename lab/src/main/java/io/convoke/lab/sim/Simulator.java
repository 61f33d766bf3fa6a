package io.convoke.lab.sim;

import io.convoke.lab.sim.control.ControlApi;
import io.convoke.lab.sim.control.Truth;
import io.convoke.lab.sim.daily.DailyApi;
import io.convoke.lab.sim.daily.PresenceApi;
import io.convoke.lab.sim.daily.RequestLog;
import io.convoke.lab.sim.daily.RequestRecord;
import io.convoke.lab.sim.fault.Faults;
import io.convoke.lab.sim.http.Web;
import io.convoke.lab.sim.room.RoomProtocol;
import io.convoke.lab.sim.script.Gathering;
import io.convoke.lab.sim.script.Player;
import io.convoke.lab.sim.script.Scenario;
import io.convoke.lab.sim.time.Draws;
import io.convoke.lab.sim.time.SimTime;
import io.convoke.lab.sim.time.WallTime;
import io.convoke.lab.sim.webhook.Delivery;
import io.convoke.lab.sim.webhook.Registry;
import io.convoke.lab.sim.webhook.Sender;
import io.convoke.lab.sim.world.Recording;
import io.convoke.lab.sim.world.World;
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
 * try (Simulator sim = Simulator.start(SimulatorOptions.defaults())) {
 *   sim.world().create(RoomRequest.named("standup"));
 *   sim.world().join("standup", Visitor.named("Ada"));
 *   sim.awaitWebhook(d -> d.envelope().type().equals("participant.joined"), Duration.ofSeconds(5));
 * }
 * }</pre>
 */
public final class Simulator implements AutoCloseable {

  private final SimulatorOptions options;
  private final SimTime time;
  private final World world;
  private final Faults faults;
  private final Sender sender;
  private final DailyApi api;
  private final RoomProtocol protocol;
  private final Player player;
  private final Web web = new Web();
  private volatile URI url = URI.create("http://localhost");

  private Simulator(SimulatorOptions options) {
    this.options = options;
    this.time = options.time().orElseGet(() -> new WallTime(options.speed()));
    Draws draws = new Draws(options.seed(), time.instant().toEpochMilli());
    this.world = new World(time, draws, options.timings());
    this.faults = new Faults(options.seed());
    this.sender = new Sender(time, draws, faults, options.sending());
    this.api = new DailyApi(world, time, sender.registry(), faults);
    this.player = new Player(world, time);
    this.protocol =
        new RoomProtocol(
            world,
            time,
            options.timings(),
            api.tokens(),
            options.openRooms(),
            () -> url.toString());
  }

  /** Starts listening. Rooms stay empty until a script or a caller adds participants. */
  public static Simulator start(SimulatorOptions options) {
    Simulator simulator = new Simulator(options);
    simulator.listen();
    return simulator;
  }

  private void listen() {
    world.subscribe(sender);
    api.presence().lag(options.presenceLag());
    options.webhook().ifPresent(sender.registry()::preset);
    Duration recorded = time.scaled(options.timings().recorded());
    api.register(web, options.apiKey(), options.rateLimits(), recorded, () -> url.toString());
    protocol.register(web);
    new ControlApi(world, sender, faults, api, player, options.speed(), this::truth).register(web);
    int port = web.start(options.host(), options.port());
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

  public SimTime time() {
    return time;
  }

  /** Rooms and people; what is done here happens at once. */
  public World world() {
    return world;
  }

  /** Sends the people of a scenario, starting now. */
  public void play(Scenario scenario) {
    player.play(scenario);
  }

  /** Sends the people of an endless script, such as an office day, starting now. */
  public void playForever(String name, Iterator<Gathering> script) {
    player.playForever(name, script);
  }

  /** Scripted meetings that have not begun, soonest first; their rooms exist already. */
  public List<Player.Planned> upcoming() {
    return player.upcoming();
  }

  public Faults faults() {
    return faults;
  }

  /** The registered webhook and its circuit breaker. */
  public Registry webhooks() {
    return sender.registry();
  }

  public PresenceApi presence() {
    return api.presence();
  }

  /**
   * Has whole recordings be other files than speech, which takes a while to make; called once for
   * each request of one.
   */
  public void sounding(Function<Recording, byte[]> file) {
    api.sounding(file);
  }

  /** API requests so far. */
  public RequestLog requests() {
    return api.log();
  }

  /** Everything that really happened so far. */
  public Truth truth() {
    return new Truth(
        options.seed(),
        time.instant(),
        world.meetings().reversed(),
        world.recordings().reversed(),
        sender.ledger().entries(),
        api.log().counts(),
        world.forgotten());
  }

  /** Waits until an event is in a state that is wanted, for example delivered. */
  public Delivery awaitWebhook(Predicate<? super Delivery> wanted, Duration timeout)
      throws TimeoutException {
    return sender.ledger().await(wanted, timeout);
  }

  /** Waits until no event is on its way or to be tried again. */
  public void awaitQuiet(Duration timeout) throws TimeoutException {
    sender.ledger().awaitQuiet(timeout);
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
    web.close();
    sender.close();
  }
}
