package hello;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.convoke.engine.durable.Durable;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Needs a database: DATABASE_URL=postgresql://user:password@localhost/database mvn verify. */
class HelloTest {
  @Test
  void itGreets() throws Exception {
    try (Durable engine = Hello.engine(System.getenv("DATABASE_URL"))) {
      engine.start("hello", "hello-test", "World");
      assertEquals(
          "Hello World, a second later",
          engine.await("hello-test", String.class, Duration.ofSeconds(30)));
    }
  }
}
