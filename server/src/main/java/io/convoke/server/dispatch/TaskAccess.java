package io.convoke.server.dispatch;

import io.convoke.engine.dispatch.Task;
import io.convoke.server.http.Caller;
import io.convoke.server.http.Problem;
import io.convoke.server.http.Request;
import java.util.Optional;

/** Access to tasks: users see and submit their own, admins and internal services all. */
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

  /** Returns a task if the caller may see it. */
  static Task visible(Caller caller, Optional<Task> found) {
    return found
        .filter(task -> sees(caller, task.userId()))
        .orElseThrow(() -> Problem.notFound("task"));
  }

  /**
   * The owner to submit or list for: a user itself; for other callers {@code ?user_id=}. Without it
   * they submit for the operator and list all tasks.
   */
  static Optional<Long> owner(Request request) {
    return switch (request.caller()) {
      case Caller.UserCaller userCaller -> Optional.of(userCaller.userId());
      case Caller.AdminCaller _, Caller.InternalCaller _ -> request.queryLong("user_id");
      case Caller.BotCaller _, Caller.AnonymousCaller _ -> throw Problem.forbidden();
    };
  }
}
