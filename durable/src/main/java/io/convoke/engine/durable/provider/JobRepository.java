package io.convoke.engine.durable.provider;

import io.convoke.engine.durable.DeadJob;
import io.convoke.engine.durable.JobInfo;
import io.convoke.engine.durable.JobQuery;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/**
 * Jobs: work items of a pool of their own for each name. They are fetched, renewed, released and
 * acked like those of activities.
 */
public interface JobRepository {
  /** Queues a job; false if an open one has its unique key. */
  boolean enqueue(NewJob newJob);

  /** Queues jobs without unique keys, all or none. */
  void enqueueAll(List<NewJob> newJobs);

  /** Queues a job in a transaction of the caller, who commits. */
  boolean enqueue(Connection connection, NewJob newJob) throws SQLException;

  /** Ends a locked job whose last attempt failed: it becomes a dead job. */
  LockStatus bury(String lockToken, String error);

  /** Deletes an open job, also while it runs; false if there is none. */
  boolean cancel(String id);

  /** An open job. */
  Optional<JobInfo> job(String id);

  /** Open jobs. */
  List<JobInfo> jobs(JobQuery jobQuery);

  /** Dead jobs, the last that died first; the state is ignored. */
  List<DeadJob> dead(JobQuery jobQuery);

  /** Queues a dead job again, with no attempt counted; false if it is none or its key is taken. */
  boolean requeue(String id);

  /** Deletes a dead job; false if there is none. */
  boolean deleteDead(String id);
}
