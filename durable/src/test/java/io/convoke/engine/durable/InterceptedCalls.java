package io.convoke.engine.durable;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Optional;

/** An object of an interface, some calls of which a test answers itself. */
final class InterceptedCalls {
  /** Answers a call, or leaves it to the object behind the proxy. */
  interface Interception {
    Optional<Object> answer(String method, Object[] arguments);
  }

  static <T> T of(Class<T> type, Interception interception, T behind) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (_, method, arguments) -> {
              Optional<Object> answer =
                  interception.answer(
                      method.getName(), arguments == null ? new Object[0] : arguments);
              if (answer.isPresent()) {
                return answer.get();
              }
              try {
                return method.invoke(behind, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }

  private InterceptedCalls() {}
}
