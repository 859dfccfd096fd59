import { Migration } from '@mikro-orm/migrations';

/**
 * What the console watches. A listener can be paused by staff, keeps its last reorg, and reports the health of its nodes,
 * which the console does not ask. The figures of closed hours are kept, so that charts read no payments.
 */
export class WatchMigration extends Migration {
  override name = '20261129-50-watch';

  override up(): void {
    this.addSql(`
      alter table chain_cursor
        add column paused_at timestamptz(3),
        add column paused_by text,
        add column paused_reason text,
        add column reorg_at timestamptz(3),
        add column reorg_from bigint,
        add column reorg_to bigint,
        add constraint chain_cursor_pause check (num_nulls(paused_at, paused_by, paused_reason) in (0, 3))`);
    this.addSql(`
      create table rpc_node (
        chain_ref text not null references chain,
        node text not null,
        preference int not null,
        is_up boolean not null,
        is_foreign boolean not null,
        latency_ms int,
        recent_steps int not null,
        recent_failures int not null,
        last_error text,
        reported_at timestamptz(3) not null default now(),
        primary key (chain_ref, node)
      )`);
    this.addSql(`
      create table hourly_stat (
        environment text not null check (environment in ('sandbox', 'live')),
        hour timestamptz(3) not null,
        name text not null,
        value numeric(78) not null,
        primary key (environment, hour, name)
      )`);
  }
}
