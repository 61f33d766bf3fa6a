package io.convoke.engine.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisCommandExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RedisErrorReplyTest {
  /** Texts of Redis 6.2, 7.0 and 7.2; those that begin with ERR are from within scripts of 6.2. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "OOM command not allowed when used memory > 'maxmemory'. script: 7f9, on @user_script:1.",
        "ERR Error running script (call to f_7f9): @user_script:1: @user_script: 1: -OOM command"
            + " not allowed when used memory > 'maxmemory'.",
        "MISCONF Redis is configured to save RDB snapshots, but it is currently not able to",
        "ERR Error running script (call to f_7f9): @user_script:9: @user_script: 9: -READONLY You"
            + " can't write against a read only replica.",
        "READONLY You can't write against a read only replica.",
        "NOPERM this user has no permissions to run the 'xadd' command",
        "ERR ACL failure in script: User default has no permissions to run the 'set' command"
            + " script: 7f9, on @user_script:1.",
        "ERR Error running script (call to f_7f9): @user_script:1: @user_script: 1: The user"
            + " executing the script can't run this command or subcommand",
        "NOAUTH Authentication required.",
        "WRONGPASS invalid username-password pair or user is disabled.",
        "LOADING Redis is loading the dataset in memory",
        "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.",
        "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
        "NOREPLICAS Not enough good replicas to write.",
        "CLUSTERDOWN The cluster is down",
        "TRYAGAIN Multiple keys request during rehashing of slot",
      })
  void whatIsNotTheCallsFaultCountsAsAway(String text) {
    assertThat(exception(text)).isInstanceOf(RedisUnavailable.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ERR wrong number of arguments for 'get' command",
        "WRONGTYPE Operation against a key holding the wrong kind of value",
        "ERR Error running script (call to f_7f9): @user_script:1: WRONGTYPE Operation against a"
            + " key holding the wrong kind of value",
        "ERR user_script:1: Script attempted to access nonexistent global variable 'x'",
        "NOGROUP No such key 's' or consumer group 'g'",
        "BUSYGROUP Consumer Group name already exists",
        "CROSSSLOT Keys in request don't hash to the same slot",
      })
  void aFaultOfTheCallStaysOne(String text) {
    assertThat(exception(text)).isInstanceOf(RedisCommandExecutionException.class);
  }

  @Test
  void anotherNodeOfAClusterIsSomewhereElse() {
    assertThat(exception("MOVED 3999 127.0.0.1:6381"))
        .isInstanceOfSatisfying(
            MovedException.class, it -> assertThat(it.address()).isEqualTo("127.0.0.1:6381"));
  }

  private static RuntimeException exception(String text) {
    return RedisErrorReply.of(new RedisCommandExecutionException(text)).exception();
  }
}
