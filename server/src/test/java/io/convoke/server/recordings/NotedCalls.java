package io.convoke.server.recordings;

import io.convoke.agent.blobs.PartialBlob;
import java.lang.reflect.Proxy;
import java.util.List;

/** Notes which methods of a blob store are called. */
final class NotedCalls {
  private NotedCalls() {}

  /** The same store or partial blob, whose calls, and those of its partial blobs, are noted. */
  static <T> T of(Class<T> type, T target, List<String> called) {
    return type.cast(
        Proxy.newProxyInstance(
            NotedCalls.class.getClassLoader(),
            new Class<?>[] {type},
            (_, method, arguments) -> {
              boolean _ = called.add(method.getName());
              Object result = method.invoke(target, arguments);
              return result instanceof PartialBlob partial
                  ? of(PartialBlob.class, partial, called)
                  : result;
            }));
  }
}
