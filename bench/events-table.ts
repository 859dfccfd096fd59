import { newId } from './compiled.ts';
import type { Stage } from './stage.ts';

/** One event in this many is a failure; neither that nor its time depends on its place in the list. */
const RARE_EACH = 200;
/** Events are up to this much older than those before them. */
const DISORDER_MS = 120_000;

/** Fills the table with the numbered events of a year, nine of ten of one merchant. Returns that merchant's id. */
export async function loadEvents(stage: Stage, rows: number): Promise<string> {
  const [big, other] = [newId('mer_'), newId('mer_')];
  await stage.query(`insert into merchant (id, name) select id, 'bench' from unnest($1::text[]) id`, [[big, other]]);
  await stage.query('begin');
  // Referential checks and guards, row by row, would take longer than the rows.
  await stage.query(`set local session_replication_role = 'replica'`);
  await stage.query('set local statement_timeout = 0');
  await stage.query(EVENTS, [rows, big, other]);
  await stage.query(COUNTERS, [[big, other]]);
  await stage.query('commit');
  await stage.query('vacuum analyze event');
  return big;
}

/** $1 count, $2 and $3 merchants. */
const EVENTS = `
  insert into event (id, merchant_id, environment, type, resource_id, data, created_at, sequence, body)
  select 'evt_00' || lpad(n::text, 24, '0'), owner, 'sandbox', type, 'pi_' || n, '{}', at,
         row_number() over (partition by owner order by n),
         json_build_object('id', 'evt_00' || lpad(n::text, 24, '0'), 'object', 'event', 'type', type, 'event_type', type,
           'created_at', to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'environment', 'sandbox',
           'sequence', n, 'api_version', 'v1', 'data', json_build_object('id', 'pi_' || n, 'metadata', repeat('x', 400)))
    from (select n, case n % 10 when 7 then $3 else $2 end as owner,
                 case when h % ${RARE_EACH} = 0 then 'payment_intent.failed' else 'payment_intent.completed' end as type,
                 now() - (($1::int - n) * interval '1 year' / $1::int) - h % ${DISORDER_MS} * interval '1 ms' as at
            from (select n, abs(hashint4(n)::bigint) as h from generate_series(1, $1::int) n) drawn) numbered`;

/** $1 merchants. With at least the disorder that the trigger would have recorded. */
const COUNTERS = `
  insert into event_counter (merchant_id, environment, last_sequence, latest_at, disorder_ms)
  select merchant_id, environment, max(sequence), max(created_at), ${DISORDER_MS} from event
   where merchant_id = any($1::text[]) group by merchant_id, environment`;
