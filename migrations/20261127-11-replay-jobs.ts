import { Migration } from '@mikro-orm/migrations';

/**
 * Staff send deliveries again as a job, endpoint by endpoint. Two jobs with the same filter never run at the same time, so
 * that a second click finds the first job.
 */
export class ReplayJobsMigration extends Migration {
  override name = '20261127-11-replay-jobs';

  override up(): void {
    this.addSql(`
      create table replay_job (
        id text primary key,
        environment text not null check (environment in ('sandbox', 'live')),
        verb text not null check (verb in ('resend', 'recover', 'send_missing')),
        criteria jsonb not null,
        filter_key text not null,
        requested_by text not null,
        reason text,
        status text not null check (status in ('running', 'paused', 'stopped', 'done')),
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        finished_at timestamptz(3),
        check ((status in ('running', 'paused')) = (finished_at is null))
      )`);
    this.addSql(`
      create unique index replay_job_open on replay_job (environment, filter_key)
        where status in ('running', 'paused')`);
    this.addSql(`create index replay_job_newest on replay_job (environment, created_at desc, id desc)`);
    this.addSql(`create index replay_job_running on replay_job (created_at, id) where status = 'running'`);
    this.createTargets();
    this.addSql(`alter table delivery add constraint delivery_replay_job_id_fkey
      foreign key (replay_job_id) references replay_job not valid`);
    this.addSql(`
      create index delivery_of_replay_job on delivery (replay_job_id, endpoint_id, status)
        where replay_job_id is not null`);
  }

  /** How far a job has come at each of its endpoints: one that fails does not stop the others. */
  private createTargets(): void {
    this.addSql(`
      create table replay_target (
        job_id text not null references replay_job,
        endpoint_id text not null references webhook_endpoint,
        status text not null check (status in ('open', 'done', 'disabled', 'deleted')),
        reached_step int not null default 0,
        reached_at timestamptz(3) not null,
        reached_id text not null default '',
        sent int not null default 0,
        skipped int not null default 0,
        primary key (job_id, endpoint_id)
      )`);
    this.addSql(`create index replay_target_open on replay_target (job_id, endpoint_id) where status = 'open'`);
  }
}
