package hello;

import io.convoke.engine.durable.Durable;
import java.time.Duration;

/** A workflow that greets after a second, however often the process dies in between. */
public final class Hello {
  private Hello() {}

  /** The engine with its workflow; processes that use the same database share the work. */
  static Durable engine(String databaseUrl) {
    return Durable.on(databaseUrl)
        .activity("greet", String.class, (context, name) -> "Hello " + name)
        .workflow(
            "hello",
            String.class,
            (context, name) -> {
              String greeting = context.activity("greet", name, String.class);
              context.sleep(Duration.ofSeconds(1));
              return greeting + ", a second later";
            })
        .start();
  }

  public static void main(String[] arguments) throws Exception {
    try (Durable engine = engine(arguments[0])) {
      engine.start("hello", "hello-1", "World");
      System.out.println(engine.await("hello-1", String.class, Duration.ofMinutes(1)));
    }
  }
}
