package io.convoke.simulator.daily;

import io.convoke.simulator.audio.SpeechSynthesizer;
import io.convoke.simulator.fault.FaultSwitches;
import io.convoke.simulator.http.SimHttpServer;
import io.convoke.simulator.state.Recording;
import io.convoke.simulator.state.SimulationState;
import io.convoke.simulator.state.SimulationTimings;
import io.convoke.simulator.time.SimulationClock;
import io.convoke.simulator.webhook.WebhookRegistry;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/** The whole REST API under {@code /v1}. */
public final class DailyApi {

  private final SimulationState simulationState;
  private final SimulationClock time;
  private final WebhookRegistry webhookRegistry;
  private final FaultSwitches faultSwitches;
  private final RequestLog log = new RequestLog();
  private final MeetingTokenCodec meetingTokenCodec = new MeetingTokenCodec();
  private final PresenceApi presence;
  private volatile Function<Recording, byte[]> sound =
      recording -> SpeechSynthesizer.wav(recording, Optional.empty());

  public DailyApi(
      SimulationState simulationState,
      SimulationClock time,
      WebhookRegistry webhookRegistry,
      FaultSwitches faultSwitches) {
    this.simulationState = simulationState;
    this.time = time;
    this.webhookRegistry = webhookRegistry;
    this.faultSwitches = faultSwitches;
    this.presence = new PresenceApi(simulationState, time, faultSwitches);
  }

  public RequestLog log() {
    return log;
  }

  public PresenceApi presence() {
    return presence;
  }

  /** Replaces the content of whole recordings; called once for each request. */
  public void sounding(Function<Recording, byte[]> file) {
    sound = file;
  }

  public MeetingTokenCodec tokens() {
    return meetingTokenCodec;
  }

  /**
   * Adds the routes.
   *
   * @param apiKey the key that callers must send
   * @param limited whether the rate limits apply
   * @param timings the shortest visit that is listed, and the granularity of times
   * @param baseUrl the URL of this server for callers
   */
  public void register(
      SimHttpServer simHttpServer,
      String apiKey,
      boolean limited,
      SimulationTimings timings,
      Supplier<String> baseUrl) {
    ApiRequestGuard apiRequestGuard =
        new ApiRequestGuard(
            time,
            faultSwitches,
            log,
            limited ? Optional.of(new DailyRateLimiter()) : Optional.empty(),
            apiKey);
    DownloadsApi downloadsApi =
        new DownloadsApi(
            simulationState, time, faultSwitches, recording -> sound.apply(recording), baseUrl);
    presence.register(simHttpServer, apiRequestGuard);
    new RoomsApi(simulationState, name -> baseUrl.get() + "/rooms/" + name)
        .register(simHttpServer, apiRequestGuard);
    new MeetingsApi(simulationState, time, timings).register(simHttpServer, apiRequestGuard);
    new TokensApi(meetingTokenCodec, time).register(simHttpServer, apiRequestGuard);
    new RecordingsApi(simulationState, time, downloadsApi).register(simHttpServer, apiRequestGuard);
    new WebhooksApi(webhookRegistry).register(simHttpServer, apiRequestGuard);
    downloadsApi.register(simHttpServer);
    simHttpServer.otherwise(
        "/v1",
        apiRequestGuard,
        simRequest -> DailyError.NOT_FOUND.answer("the API has no such endpoint"));
  }
}
