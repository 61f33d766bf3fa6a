package io.convoke.server.dispatch;

import io.convoke.engine.dispatch.Task;
import io.convoke.server.http.Caller;
import io.convoke.server.http.Problem;
import io.convoke.server.http.Request;
import java.util.Optional;

/** Whose tasks a caller sees and makes: users their own, admins and internal services all. */
final class TaskAccess {
  private TaskAccess() {}

  static boolean sees(Caller caller, Optional<Long> owner) {
    return switch (caller) {
      case Caller.AdminCaller _, Caller.InternalCaller _ -> true;
      case Caller.UserCaller userCaller ->
          owner.filter(id -> id == userCaller.userId()).isPresent();
      case Caller.BotCaller _, Caller.AnonymousCaller _ -> false;
    };
  }

  /** A task that the caller may know of. */
  static Task visible(Caller caller, Optional<Task> found) {
    return found
        .filter(task -> sees(caller, task.userId()))
        .orElseThrow(() -> Problem.notFound("task"));
  }

  /**
   * Whose tasks are made or shown: a user's own; of others, those of whom {@code ?user_id=} names.
   * If it names nobody, what is made is the operator's, and what is shown is everybody's.
   */
  static Optional<Long> owner(Request request) {
    return switch (request.caller()) {
      case Caller.UserCaller userCaller -> Optional.of(userCaller.userId());
      case Caller.AdminCaller _, Caller.InternalCaller _ -> request.queryLong("user_id");
      case Caller.BotCaller _, Caller.AnonymousCaller _ -> throw Problem.forbidden();
    };
  }
}
