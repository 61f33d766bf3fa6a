package io.convoke.simulator.daily;

import io.convoke.simulator.http.JsonObjectBuilder;
import io.convoke.simulator.http.RequestFilter;
import io.convoke.simulator.http.SimHttpServer;
import io.convoke.simulator.http.SimJson;
import io.convoke.simulator.http.SimRequest;
import io.convoke.simulator.http.SimResponse;
import io.convoke.simulator.time.SimulationClock;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** Meeting tokens over REST. */
final class TokensApi {

  private final MeetingTokenCodec meetingTokenCodec;
  private final SimulationClock time;

  TokensApi(MeetingTokenCodec meetingTokenCodec, SimulationClock time) {
    this.meetingTokenCodec = meetingTokenCodec;
    this.time = time;
  }

  void register(SimHttpServer simHttpServer, RequestFilter guard) {
    simHttpServer.route("POST /v1/meeting-tokens", guard, this::create);
    simHttpServer.route("GET /v1/meeting-tokens/{token}", guard, this::validate);
  }

  private SimResponse create(SimRequest simRequest) {
    Optional<JsonNode> body = simRequest.json();
    if (body.isEmpty()) {
      return DailyError.JSON_PARSING.answer("the body is not a JSON object");
    }
    JsonNode properties = body.get().path("properties");
    if (!properties.isMissingNode() && !properties.isObject()) {
      return DailyError.INVALID_REQUEST.answer("properties must be an object");
    }
    return SimResponse.ok(
        JsonObjectBuilder.of("token", meetingTokenCodec.issue(SimJson.map(properties))).map());
  }

  private SimResponse validate(SimRequest simRequest) {
    return meetingTokenCodec
        .read(simRequest.path("token"), time.instant())
        .map(SimResponse::ok)
        .orElseGet(() -> DailyError.INVALID_REQUEST.answer("the token is invalid or has expired"));
  }
}
