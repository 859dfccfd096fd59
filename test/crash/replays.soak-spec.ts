import { newId } from '../../src/domain/ids.js';
import { type Receiver, startReceiver } from '../outbound/receiver-zoo.js';
import { eventually } from '../support/eventually.js';
import { bundleService, type ServiceBuild } from '../support/service-build.js';
import { query } from '../support/sql.js';
import { ServiceLane } from './service-lane.js';

const DEAD_LETTERS = 100;
/** Where a worker dies: after it has sent the third batch, before that commits, and after it has committed. */
const FAILPOINTS = ['replay.sent@3', 'replay.before_commit@2', 'replay.after_commit@2'];

class ReplayLane extends ServiceLane {
  static async open(build: ServiceBuild, failpoint: string): Promise<ReplayLane> {
    const { dir, db } = await ServiceLane.ground();
    const lane = new ReplayLane({ build, asset: { network: 'polygon', symbol: 'USDC' } }, dir, db, failpoint);
    return lane.prepare(async () => undefined);
  }

  /** Orders a replay of all dead letters of a new endpoint, dies within it, and restarts until the job is done. */
  async replay(url: string): Promise<{ signal: string | null; job: unknown; series: unknown[] }> {
    const api = await this.service.api();
    const { body: endpoint } = await api.post<{ id: string }>('/v1/webhook-endpoints', { url, event_types: ['*'] });
    const { database } = this.db;
    await query(
      database,
      `with event_row as (
         insert into event (id, merchant_id, environment, type, resource_id, data, sequence, body)
         select 'evt_' || n, merchant_id, environment, 'ping', 'x', '{}', 1000 + n, '{}'
           from webhook_endpoint cross join generate_series(1, $2::int) n where id = $1)
       insert into delivery (id, event_id, endpoint_id, merchant_id, environment, event_type, status, attempts, finished_at)
       select 'dlv_' || n, 'evt_' || n, id, merchant_id, environment, 'ping', 'dead_letter', 6, now()
         from webhook_endpoint cross join generate_series(1, $2::int) n where id = $1`,
      [endpoint.id, DEAD_LETTERS],
    );
    const id = newId('rpl_');
    await query(
      database,
      `with job as (
         insert into replay_job (id, environment, verb, criteria, filter_key, requested_by, status, created_at, updated_at)
         values ($1, 'sandbox', 'recover', '{}', 'key', 'kim@example.com', 'running', now(), now()) returning id)
       insert into replay_target (job_id, endpoint_id, status, reached_at)
       select id, $2, 'open', '1970-01-01' from job`,
      [id, endpoint.id],
    );
    const { signal } = await this.revived(null);
    await eventually(async () => {
      const [job] = await query<{ status: string }>(database, `select status from replay_job`);
      return job?.status === 'done';
    }, 60_000);
    const [job] = await query(
      database,
      `select sum(sent)::int as sent, sum(skipped)::int as skipped from replay_target`,
    );
    const series = await query(database, `select series, status, count(*)::int from delivery group by 1, 2 order by 1`);
    return { signal, job, series };
  }
}

let build: ServiceBuild;
let receiver: Receiver;
beforeAll(async () => {
  build = await bundleService();
});
beforeEach(async () => {
  receiver = await startReceiver((_request, response) => response.writeHead(204).end());
});
afterEach(() => receiver.close());

it.each(FAILPOINTS)(
  'kill -9 of a worker at %s: the next one goes on, and each dead letter gets one new series [M-172]',
  async (failpoint) => {
    const lane = await ReplayLane.open(build, failpoint);
    try {
      const { signal, job, series } = await lane.replay(`http://127.0.0.1:${receiver.port}/hooks`);
      expect(signal).toBe('SIGKILL');
      expect(job).toEqual({ sent: DEAD_LETTERS, skipped: 0 });
      expect(series).toEqual([
        { series: 1, status: 'dead_letter', count: DEAD_LETTERS },
        { series: 2, status: 'delivered', count: DEAD_LETTERS },
      ]);
      expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(DEAD_LETTERS);
    } finally {
      await lane.close();
    }
  },
  180_000,
);
