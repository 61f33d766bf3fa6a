package io.convoke.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.server.http.Endpoint.Method;
import io.convoke.server.http.Router.Match;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which path leads where. */
class RouterTest {
  private final Router<String> router = new Router<>();

  @BeforeEach
  void fill() {
    router.add(Method.GET, "/sync/problems", "problems");
    router.add(Method.GET, "/sync/{id}", "show");
    router.add(Method.POST, "/sync/{id}/retry", "retry");
    router.add(Method.POST, "/sync/problems/{id}", "note");
    router.add(Method.DELETE, "/sync/{id}", "drop");
  }

  private Match<String> get(String path) {
    return router.find(Optional.of(Method.GET), path);
  }

  @Test
  void a_word_beats_a_parameter() {
    assertThat(get("/sync/problems")).isEqualTo(new Match.Found<>("problems", Map.of()));
    assertThat(get("/sync/other")).isEqualTo(new Match.Found<>("show", Map.of("id", "other")));
  }

  @Test
  void a_parameter_is_tried_when_the_word_leads_nowhere() {
    assertThat(router.find(Optional.of(Method.POST), "/sync/problems/retry"))
        .isEqualTo(new Match.Found<>("note", Map.of("id", "retry")));
    assertThat(router.find(Optional.of(Method.DELETE), "/sync/problems"))
        .isEqualTo(new Match.Found<>("drop", Map.of("id", "problems")));
  }

  @Test
  void parameters_are_decoded_and_a_slash_in_them_stays_theirs() {
    assertThat(get("/sync/a%2Fb%20c")).isEqualTo(new Match.Found<>("show", Map.of("id", "a/b c")));
  }

  @Test
  void other_methods_and_missing_paths_are_told_apart() {
    assertThat(router.find(Optional.of(Method.PUT), "/sync/5"))
        .isEqualTo(new Match.OtherMethod<>(Set.of(Method.GET, Method.DELETE)));
    assertThat(router.find(Optional.empty(), "/sync/5/retry"))
        .isEqualTo(new Match.OtherMethod<>(Set.of(Method.POST)));
    assertThat(get("/sync/")).isEqualTo(new Match.Missing<>());
    assertThat(get("/sync")).isEqualTo(new Match.Missing<>());
    assertThat(get("/")).isEqualTo(new Match.Missing<>());
    assertThat(get("/sync/5/retry/6")).isEqualTo(new Match.Missing<>());
  }
}
