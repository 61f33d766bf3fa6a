package io.convoke.lab.sim.http;

/** Answers a call. */
@FunctionalInterface
public interface Handler {
  Answer handle(Call call);
}
