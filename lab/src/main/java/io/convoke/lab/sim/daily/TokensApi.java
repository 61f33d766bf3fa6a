package io.convoke.lab.sim.daily;

import io.convoke.lab.sim.http.Answer;
import io.convoke.lab.sim.http.Around;
import io.convoke.lab.sim.http.Call;
import io.convoke.lab.sim.http.Fields;
import io.convoke.lab.sim.http.Json;
import io.convoke.lab.sim.http.Web;
import io.convoke.lab.sim.time.SimTime;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** Meeting tokens over REST. */
final class TokensApi {

  private final Tokens tokens;
  private final SimTime time;

  TokensApi(Tokens tokens, SimTime time) {
    this.tokens = tokens;
    this.time = time;
  }

  void register(Web web, Around guard) {
    web.route("POST /v1/meeting-tokens", guard, this::create);
    web.route("GET /v1/meeting-tokens/{token}", guard, this::validate);
  }

  private Answer create(Call call) {
    Optional<JsonNode> body = call.json();
    if (body.isEmpty()) {
      return DailyError.JSON_PARSING.answer("the body is not a JSON object");
    }
    JsonNode properties = body.get().path("properties");
    if (!properties.isMissingNode() && !properties.isObject()) {
      return DailyError.INVALID_REQUEST.answer("properties must be an object");
    }
    return Answer.ok(Fields.of("token", tokens.issue(Json.map(properties))).map());
  }

  private Answer validate(Call call) {
    return tokens
        .read(call.path("token"), time.instant())
        .map(Answer::ok)
        .orElseGet(() -> DailyError.INVALID_REQUEST.answer("the token is invalid or has expired"));
  }
}
