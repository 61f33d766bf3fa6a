package io.convoke.engine.crypto;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.engine.json.Json;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

/** The token of a task is in clear at its two ends alone. */
class AccessTokenSealerTest {
  private static final String SEED =
      """
      {"access_token": "007eJxSULJSqLNSUCjPyM9VsLJSUKOhKFNrq1CqVGOkZpZUqmknKpUw1AD",
       "workerUid": 42, "interval_in_ms": 15000, "layout": "flat", "uid": ["user123", "user456"]}
      """;

  private final byte[] key = SecretBox.newKey();
  private final AccessTokenSealer tokens = new AccessTokenSealer(SecretBox.of(key));

  @Test
  void the_seeds_payload_is_sealed_and_opened_and_otherwise_left_alone() {
    ObjectNode payload = payload(SEED);

    ObjectNode sealed = tokens.seal(payload);

    assertThat(sealed.toString()).doesNotContain("007eJx").contains("\"sealed:");
    assertThat(payload).isEqualTo(payload(SEED));
    assertThat(tokens.open(sealed)).isEqualTo(payload(SEED));
    sealed.set("access_token", payload.get("access_token"));
    assertThat(sealed).isEqualTo(payload(SEED));
  }

  @Test
  void tokens_are_found_at_every_depth_and_of_every_form() {
    ObjectNode payload =
        payload(
            """
            {"rooms": [{"access_token": "the first"}, [{"auth": {"access_token": {"v": "a second"}}}]],
             "access_token": 3, "accessToken": "not ours"}
            """);

    ObjectNode sealed = tokens.seal(payload);

    assertThat(sealed.toString())
        .doesNotContain("the first", "a second", ":3")
        .contains("not ours");
    assertThat(tokens.open(sealed)).isEqualTo(payload);
  }

  @Test
  void a_token_that_looks_sealed_is_sealed_all_the_same() {
    ObjectNode payload = payload("{\"access_token\": \"sealed:of somebody else\"}");

    assertThat(tokens.open(tokens.seal(payload))).isEqualTo(payload);
  }

  @Test
  void unsealed_text_stays_as_it_is() {
    assertThat(tokens.open(payload(SEED))).isEqualTo(payload(SEED));
  }

  @Test
  void what_a_program_says_of_its_failure_is_told_without_the_token() {
    ObjectNode open = payload("{\"a\": [{\"access_token\": \"007eJx\"}], \"uid\": \"user123\"}");

    assertThat(AccessTokenSealer.without(open, "wrong access_token 007eJx for user123"))
        .isEqualTo("wrong access_token *** for user123");
  }

  @Test
  void another_key_does_not_open_it() {
    ObjectNode sealed = tokens.seal(payload(SEED));
    AccessTokenSealer stranger = new AccessTokenSealer(SecretBox.of(SecretBox.newKey()));

    assertThatThrownBy(() -> stranger.open(sealed)).isInstanceOf(SecretBox.UnsealFailure.class);
  }

  @Test
  void a_pod_reads_its_key_as_the_server_does_also_while_keys_rotate() {
    String text = Base64.getEncoder().encodeToString(key);
    String next = Base64.getEncoder().encodeToString(SecretBox.newKey());
    ObjectNode sealed = new AccessTokenSealer(SecretBox.parse(text)).seal(payload(SEED));

    assertThat(new AccessTokenSealer(SecretBox.parse(next + ", " + text)).open(sealed))
        .isEqualTo(payload(SEED));
  }

  @Test
  void a_pod_with_one_key_alone_opens_what_is_sealed_while_keys_rotate() {
    byte[] next = SecretBox.newKey();
    ObjectNode sealed = new AccessTokenSealer(SecretBox.of(next, key)).seal(payload(SEED));

    assertThat(new AccessTokenSealer(SecretBox.of(key)).open(sealed)).isEqualTo(payload(SEED));
    assertThat(new AccessTokenSealer(SecretBox.of(next)).open(sealed)).isEqualTo(payload(SEED));
    AccessTokenSealer stranger = new AccessTokenSealer(SecretBox.of(SecretBox.newKey()));
    assertThatThrownBy(() -> stranger.open(sealed)).isInstanceOf(SecretBox.UnsealFailure.class);
  }

  @Test
  void a_pod_with_the_key_for_pods_alone_opens_what_any_server_key_sealed() {
    SecretBox rotating = SecretBox.of(SecretBox.newKey(), key);
    SecretBox podKey = SecretBox.parse(AccessTokenSealer.forPods(SecretBox.of(key)).text());
    ObjectNode sealed = new AccessTokenSealer(rotating).seal(payload(SEED));

    assertThat(AccessTokenSealer.ofPodKey(podKey).open(sealed)).isEqualTo(payload(SEED));
    SecretBox stranger = AccessTokenSealer.forPods(SecretBox.of(SecretBox.newKey()));
    assertThatThrownBy(() -> AccessTokenSealer.ofPodKey(stranger).open(sealed))
        .isInstanceOf(SecretBox.UnsealFailure.class);
  }

  /** It tries one seal after the other, with the secret key alone. */
  @Test
  void a_pod_of_an_earlier_release_opens_it_too() {
    String token = tokens.seal(payload(SEED)).path("access_token").asString();
    String[] seals = token.substring("sealed:".length()).split("\\.", -1);

    assertThat(seals).hasSize(2);
    assertThatThrownBy(() -> SecretBox.of(key).open("task", seals[0]))
        .isInstanceOf(SecretBox.UnsealFailure.class);
    assertThat(SecretBox.of(key).open("task", seals[1])).contains("007eJx");
  }

  @Test
  void what_other_keys_sealed_too_is_told_from_what_these_sealed() {
    SecretBox next = SecretBox.of(SecretBox.newKey());
    AccessTokenSealer newest = new AccessTokenSealer(next);
    assertThat(newest.sealsLike(newest.seal(payload(SEED)))).isTrue();
    assertThat(newest.sealsLike(tokens.seal(payload(SEED)))).isFalse();
    assertThat(newest.sealsLike(payload(SEED))).as("not sealed").isFalse();
    assertThat(newest.sealsLike(payload("{\"access_token\": \"sealed:?\"}"))).isFalse();
    assertThat(newest.sealsLike(payload("{}"))).as("nothing to seal").isTrue();
  }

  private static ObjectNode payload(String json) {
    return (ObjectNode) Json.read(json);
  }
}
