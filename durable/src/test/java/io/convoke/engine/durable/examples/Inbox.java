package io.convoke.engine.durable.examples;

import io.convoke.engine.durable.Durable;
import java.time.Duration;

/** Continue as new: an endless workflow keeps a short history. */
final class Inbox {
  record Read(int letters, int words) {}

  static String run(String url) throws Exception {
    try (Durable engine =
        Durable.on(url)
            .workflow(
                "inbox",
                Read.class,
                (context, read) -> {
                  if (read.letters() == 3) {
                    return read.words() + " words in execution " + context.executionId();
                  }
                  String letter = context.event("letter", String.class).get();
                  int words = letter.split(" ", -1).length;
                  throw context.continueAsNew(new Read(read.letters() + 1, read.words() + words));
                })
            .start()) {
      engine.start("inbox", "inbox-of-ann", new Read(0, 0));
      engine.raise("inbox-of-ann", "letter", "hello");
      engine.raise("inbox-of-ann", "letter", "hello again");
      engine.raise("inbox-of-ann", "letter", "good bye");
      return engine.await("inbox-of-ann", String.class, Duration.ofSeconds(30));
    }
  }
}
