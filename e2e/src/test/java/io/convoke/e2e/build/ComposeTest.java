package io.convoke.e2e.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.convoke.e2e.build.BareDebian.Network;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The commands of {@code docs/guides/compose.md}, as written and in order, with Debian's Docker and
 * Compose: {@code deploy/compose.yaml} without any change, on an engine with a network of its own.
 * Then programs are killed. No registry of images is reachable, so the images of the stores are
 * Debian's packages with entry points that keep to what the official ones promise.
 */
@Tag("nightly")
@Tag("heavy")
@Timeout(3600)
final class ComposeTest {
  private static final Path HOME = SourcesTest.home();
  private static final Path PAGE = HOME.resolve("docs/guides/compose.md");
  private static final long MINUTES_MAX = 30;

  private static final String PACKAGES =
      """
      apt-get update -q
      apt-get install -y --no-install-recommends ca-certificates curl docker-cli docker-compose docker.io \
              iproute2 iptables jq openssl
      mkdir /hour/stores
      tar -C /hour/stores -xf /hour/base.tar
      cp /etc/resolv.conf /etc/hosts /hour/stores/etc
      cp /usr/sbin/policy-rc.d /hour/stores/usr/sbin
      mount -t proc proc /hour/stores/proc
      mount --rbind /dev /hour/stores/dev
      chroot /hour/stores sh -c 'apt-get update -q && apt-get install -y --no-install-recommends postgresql redis-server'
      umount -l /hour/stores/proc /hour/stores/dev
      """;

  /**
   * As the official image does it: as root the volume is made the user's; at the first start a
   * server with a socket alone makes the database; then the one starts that others reach.
   */
  private static final String POSTGRES =
      """
      #!/bin/sh
      set -eu
      PATH=$(echo /usr/lib/postgresql/*/bin):$PATH
      PGDATA=/var/lib/postgresql/18/docker
      export PATH PGDATA
      if [ "$(id -u)" = 0 ]; then
        mkdir -p "$PGDATA"
        chown -R postgres:postgres /var/lib/postgresql /run/postgresql
        exec setpriv --reuid=postgres --regid=postgres --init-groups "$0"
      fi
      if [ ! -s "$PGDATA/PG_VERSION" ]; then
        printf %s "$POSTGRES_PASSWORD" >/tmp/password
        initdb -U "$POSTGRES_USER" --pwfile=/tmp/password --auth-local=trust --auth-host=scram-sha-256
        rm /tmp/password
        echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
        pg_ctl start -w -o "-c listen_addresses=''"
        createdb -U "$POSTGRES_USER" "$POSTGRES_DB"
        # It takes its time, as where scripts of a user fill tables: until it was asked whether it is ready.
        mkfifo /run/postgresql/making
        read -r _ </run/postgresql/making
        rm /run/postgresql/making
        pg_ctl stop -w -m fast
      fi
      exec postgres -c listen_addresses='*'
      """;

  /** Notes what it answered, and whether that was before the database was made. */
  private static final String PG_ISREADY =
      """
      #!/bin/sh
      /usr/lib/postgresql/*/bin/pg_isready "$@"
      code=$?
      if [ -p /run/postgresql/making ]; then
        echo "making $code" >>/tmp/answers
        echo asked >/run/postgresql/making
      else
        echo "made $code" >>/tmp/answers
      fi
      exit $code
      """;

  private static final String REDIS =
      """
      #!/bin/sh
      exec setpriv --reuid=redis --regid=redis --init-groups "$@" --protected-mode no
      """;

  private static final String ENGINE =
      """
      ip link set lo up
      dockerd >/hour/dockerd.log 2>&1 &
      curl -s --retry 60 --retry-delay 1 --retry-all-errors --unix-socket /run/docker.sock -o /dev/null http://docker/_ping
      docker import /hour/base.tar debian:13-slim
      tar -C /hour/stores -cf /hour/stores.tar .
      docker import -c 'ENTRYPOINT ["postgres-entrypoint"]' -c 'STOPSIGNAL SIGINT' -c 'VOLUME /var/lib/postgresql' \
             /hour/stores.tar postgres:18
      docker import -c 'ENTRYPOINT ["redis-entrypoint"]' -c 'CMD ["redis-server"]' /hour/stores.tar redis:7
      docker events --filter event=start --filter event=health_status \
             --format '{{.Actor.Attributes.name}} {{.Action}}' >/hour/events.log &
      """;

  /** The server starts after both stores were found healthy. */
  private static final List<List<String>> ORDER =
      List.of(
          List.of("convoke-postgres-1 health_status: healthy", "convoke-server-1 start"),
          List.of("convoke-redis-1 health_status: healthy", "convoke-server-1 start"),
          List.of("convoke-server-1 start", "convoke-server-1 health_status: healthy"));

  /** It was asked while it made the database, and did not call itself ready. */
  private static final String ANSWERS =
      """
      ```sh
      docker compose exec -T postgres grep making /tmp/answers | sort -u
      ```

      ```text
      making 2
      ```
      """;

  /**
   * A pod without {@code --exec} starts and has the server's blobs and the settings that both need,
   * and no other; and what an image on top of it has in the folder where it works.
   */
  private static final String PLAIN_POD =
      """
      ```sh
      echo CONVOKE_EGRESS_HOST=pod > shared.env
      cat > convoke.env <<END
      CONVOKE_BOT_COMMAND=exec sleep 600
      CONVOKE_BOTS_RESERVED_TIMEOUT=60s
      END
      echo echo ours > record.sh
      docker cp record.sh "$(docker create --name on-top convoke-pod:$CONVOKE_VERSION):/var/lib/convoke/record.sh"
      docker commit on-top convoke-pod:ours
      docker rm on-top
      echo '{services: {pod: {image: convoke-pod:ours}}}' > compose.override.yaml
      POD_ARGUMENTS= docker compose --profile pod up -d --wait
      docker inspect -f '{{.RestartCount}}' convoke-pod-1
      docker compose exec -T pod bash -c 'cd server && [ -d blobs/blobs ] && [ -d bots ] && echo shared'
      docker compose exec -T pod sh record.sh
      for service in server pod; do docker compose exec -T $service env | grep -c CONVOKE_EGRESS_HOST=pod; done
      docker compose exec -T pod env | grep -c -e SECRET -e ADMIN -e BOT_COMMAND || true
      rm compose.override.yaml
      ```

      ```text
      ...
      0
      shared
      ours
      1
      1
      0
      ```
      """;

  /** The bots of a server's container have failed once the next one has looked. */
  private static final String NEXT_CONTAINER =
      """
      ```sh
      BOT=$(curl -s localhost:8080/bots/start -H "X-API-Key: $KEY" -H 'Content-Type: application/json' \
                 -d '{"platform": "google_meet", "native_meeting_id": "abc-defg-hij"}' | jq -r .id)
      meeting() {
        curl -s --retry 60 --retry-delay 1 --retry-all-errors -f "localhost:8080/meetings/$BOT" -H "X-API-Key: $KEY" | jq -r "$1"
      }
      for _ in $(seq 60); do [ "$(meeting .bot_container_id)" = null ] || break; sleep 1; done
      meeting .bot_container_id
      docker compose up -d --no-deps --force-recreate --wait server
      curl -sN -m 300 'localhost:8080/events?after=0&type=meeting.status_changed' -H "X-API-Key: $KEY" \
           -H 'Accept: text/event-stream' | grep -m 1 -o '"to":"failed"'
      meeting .status
      ```

      ```text
      process:convoke:...
      "to":"failed"
      failed
      ```
      """;

  /**
   * After the page: what was stored before its last command is there, and what is killed starts.
   */
  private static final String KILLED =
      """
      ```sh
      docker compose --profile pod up -d --wait
      for service in server postgres redis pod; do
        container=convoke-$service-1
        killed=$(date +%s)
        kill -9 "$(docker inspect -f '{{.State.Pid}}' $container)"
        grep -m 1 start < <(docker events --since "$killed" --filter container=$container --filter event=start \
                                   --format '{{.Actor.Attributes.name}} {{.Action}}')
        curl -s --retry 120 --retry-delay 1 --retry-all-errors -f -o /dev/null localhost:8080/readyz
      done
      curl -s --retry 60 --retry-delay 1 --retry-all-errors -f localhost:8080/meetings -H "X-API-Key: $KEY" |
        grep -c stand-up
      curl -s localhost:8080/tasks -H "X-API-Key: $KEY" -H 'Content-Type: application/json' \
           -d '{"request_id": "2", "type": "nap", "action": "start", "channel": "room-8", "payload": {}}' | jq -r .state
      curl -sN -m 120 'localhost:8080/events?after=0&type=task.success' -H "X-API-Key: $KEY" \
           -H 'Accept: text/event-stream' | grep -m 1 -o room-8
      SECONDS=0
      docker compose --profile pod stop
      [ $SECONDS -lt 60 ]
      docker compose --profile pod down -v
      echo "left: $(docker ps -aq) $(docker volume ls -q)"
      ```

      ```text
      ...
      convoke-server-1 start
      convoke-postgres-1 start
      convoke-redis-1 start
      convoke-pod-1 start
      1
      PENDING
      room-8
      ...
      left:
      ```
      """;

  @TempDir private Path folder;

  @Test
  void eachCommandOfThePageDoesWhatThePageSays() throws Exception {
    Optional<String> obstacle = BareDebian.obstacle();
    skipUnless(obstacle.isEmpty(), obstacle.orElse(""));
    Path released = ReleaseFiles.make(folder.resolve("sources"));
    try (BareDebian debian = BareDebian.make()) {
      Path convoke = debian.root().resolve("root/convoke");
      ProjectCopy.copy(released, convoke.resolve("target/release"), _ -> true);
      ProjectCopy.copy(HOME.resolve("deploy"), convoke.resolve("deploy"), _ -> true);
      assertThat(
              debian.run(
                  "compose",
                  List.of(ShellBlock.of(PACKAGES)),
                  Network.OF_THIS_MACHINE,
                  MINUTES_MAX))
          .isEmpty();
      Path programs = debian.root().resolve("hour/stores/usr/local/bin");
      program(programs.resolve("postgres-entrypoint"), POSTGRES);
      program(programs.resolve("pg_isready"), PG_ISREADY);
      program(programs.resolve("redis-entrypoint"), REDIS);
      List<ShellBlock> blocks = new ArrayList<>();
      blocks.add(ShellBlock.of(ENGINE));
      blocks.addAll(ShellBlock.all(Files.readString(PAGE)));
      blocks.addAll(2, ShellBlock.all(ANSWERS));
      blocks.addAll(ShellBlock.all(PLAIN_POD));
      blocks.addAll(ShellBlock.all(NEXT_CONTAINER));
      blocks.addAll(ShellBlock.all(KILLED));
      assertThat(debian.run("compose", blocks, Network.ITS_OWN, MINUTES_MAX)).isEmpty();
      List<String> events = Files.readAllLines(debian.root().resolve("hour/events.log"));
      assertThat(ORDER).allSatisfy(it -> assertThat(events).containsSubsequence(it));
    }
  }

  private static void program(Path file, String script) throws IOException {
    Path _ = Files.writeString(file, script);
    assertThat(file.toFile().setExecutable(true, false)).isTrue();
  }

  private static void skipUnless(boolean possible, String what) {
    if (!possible) {
      System.err.printf("%n*** SKIPPED: ComposeTest needs %s ***%n%n", what);
    }
    assumeTrue(possible, what);
  }
}
