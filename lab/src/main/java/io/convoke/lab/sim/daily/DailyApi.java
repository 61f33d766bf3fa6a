package io.convoke.lab.sim.daily;

import io.convoke.lab.sim.audio.Sound;
import io.convoke.lab.sim.fault.Faults;
import io.convoke.lab.sim.http.Web;
import io.convoke.lab.sim.time.SimTime;
import io.convoke.lab.sim.webhook.Registry;
import io.convoke.lab.sim.world.Recording;
import io.convoke.lab.sim.world.World;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/** The whole REST API under {@code /v1}, ready to be served. */
public final class DailyApi {

  private final World world;
  private final SimTime time;
  private final Registry registry;
  private final Faults faults;
  private final RequestLog log = new RequestLog();
  private final Tokens tokens = new Tokens();
  private final PresenceApi presence;
  private volatile Function<Recording, byte[]> sound =
      recording -> Sound.wav(recording, Optional.empty());

  public DailyApi(World world, SimTime time, Registry registry, Faults faults) {
    this.world = world;
    this.time = time;
    this.registry = registry;
    this.faults = faults;
    this.presence = new PresenceApi(world, time, faults);
  }

  public RequestLog log() {
    return log;
  }

  public PresenceApi presence() {
    return presence;
  }

  /** Has whole recordings be other files than speech; called once for each request. */
  public void sounding(Function<Recording, byte[]> file) {
    sound = file;
  }

  public Tokens tokens() {
    return tokens;
  }

  /**
   * Adds the routes.
   *
   * @param apiKey what callers must bear
   * @param limited whether the rate limits hold
   * @param recorded how long a visit must last to be listed as attendance
   * @param baseUrl the address that callers reach this server at
   */
  public void register(
      Web web, String apiKey, boolean limited, Duration recorded, Supplier<String> baseUrl) {
    Guard guard =
        new Guard(
            time, faults, log, limited ? Optional.of(new RateLimits()) : Optional.empty(), apiKey);
    Downloads downloads =
        new Downloads(world, time, faults, recording -> sound.apply(recording), baseUrl);
    presence.register(web, guard);
    new RoomsApi(world, name -> baseUrl.get() + "/rooms/" + name).register(web, guard);
    new MeetingsApi(world, time, recorded).register(web, guard);
    new TokensApi(tokens, time).register(web, guard);
    new RecordingsApi(world, time, downloads).register(web, guard);
    new WebhooksApi(registry).register(web, guard);
    downloads.register(web);
    web.otherwise(
        "/v1", guard, call -> DailyError.NOT_FOUND.answer("the API has no such endpoint"));
  }
}
