package io.convoke.server.http.listener;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.server.http.Endpoint.HttpMethod;
import io.convoke.server.http.listener.RequestRouter.RouteMatch;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which path leads where. */
class RequestRouterTest {
  private final RequestRouter<String> requestRouter = new RequestRouter<>();

  @BeforeEach
  void fill() {
    requestRouter.add(HttpMethod.GET, "/sync/problems", "problems");
    requestRouter.add(HttpMethod.GET, "/sync/{id}", "show");
    requestRouter.add(HttpMethod.POST, "/sync/{id}/retry", "retry");
    requestRouter.add(HttpMethod.POST, "/sync/problems/{id}", "note");
    requestRouter.add(HttpMethod.DELETE, "/sync/{id}", "drop");
  }

  private RouteMatch<String> get(String path) {
    return requestRouter.find(Optional.of(HttpMethod.GET), path);
  }

  @Test
  void a_literal_segment_beats_a_parameter() {
    assertThat(get("/sync/problems")).isEqualTo(new RouteMatch.RouteFound<>("problems", Map.of()));
    assertThat(get("/sync/other"))
        .isEqualTo(new RouteMatch.RouteFound<>("show", Map.of("id", "other")));
  }

  @Test
  void a_parameter_is_tried_when_the_literal_has_no_match() {
    assertThat(requestRouter.find(Optional.of(HttpMethod.POST), "/sync/problems/retry"))
        .isEqualTo(new RouteMatch.RouteFound<>("note", Map.of("id", "retry")));
    assertThat(requestRouter.find(Optional.of(HttpMethod.DELETE), "/sync/problems"))
        .isEqualTo(new RouteMatch.RouteFound<>("drop", Map.of("id", "problems")));
  }

  @Test
  void parameters_are_decoded_and_may_hold_a_slash() {
    assertThat(get("/sync/a%2Fb%20c"))
        .isEqualTo(new RouteMatch.RouteFound<>("show", Map.of("id", "a/b c")));
  }

  @Test
  void other_methods_and_missing_paths_are_distinguished() {
    assertThat(requestRouter.find(Optional.of(HttpMethod.PUT), "/sync/5"))
        .isEqualTo(new RouteMatch.RouteMethodMismatch<>(Set.of(HttpMethod.GET, HttpMethod.DELETE)));
    assertThat(requestRouter.find(Optional.empty(), "/sync/5/retry"))
        .isEqualTo(new RouteMatch.RouteMethodMismatch<>(Set.of(HttpMethod.POST)));
    assertThat(get("/sync/")).isEqualTo(new RouteMatch.RouteMissing<>());
    assertThat(get("/sync")).isEqualTo(new RouteMatch.RouteMissing<>());
    assertThat(get("/")).isEqualTo(new RouteMatch.RouteMissing<>());
    assertThat(get("/sync/5/retry/6")).isEqualTo(new RouteMatch.RouteMissing<>());
  }
}
