import { type Receiver, startReceiver } from '../outbound/receiver-zoo.js';
import { eventually } from '../support/eventually.js';
import { bundleService, type ServiceBuild } from '../support/service-build.js';
import { query } from '../support/sql.js';
import { ServiceLane } from './service-lane.js';

const DEAD_LETTERS = 1_100;
/** The batches of waiting and of paused deliveries are empty, so the worker dies in the second batch of dead letters. */
const FAILPOINT = 'recovery.before_commit@4';

class RecoveryLane extends ServiceLane {
  static async open(build: ServiceBuild): Promise<RecoveryLane> {
    const { dir, db } = await ServiceLane.ground();
    const lane = new RecoveryLane({ build, asset: { network: 'polygon', symbol: 'USDC' } }, dir, db, FAILPOINT);
    return lane.prepare(async () => undefined);
  }

  /** Requests the recovery of an endpoint with dead letters, dies within it, and restarts until all was sent. */
  async recover(url: string): Promise<{ signal: string | null; recovered: number; series: unknown[] }> {
    const api = await this.service.api();
    const { body: endpoint } = await api.post<{ id: string }>('/v1/webhook-endpoints', { url, event_types: ['*'] });
    await this.addDeadLetters(endpoint.id);
    await api.post(`/v1/webhook-endpoints/${endpoint.id}/recover`, { since: '2026-01-01' }).catch(() => undefined);
    const { signal } = await this.revived(null);
    const { database } = this.db;
    await eventually(async () => {
      const left = await query(database, `select from delivery where status <> 'delivered' and not superseded limit 1`);
      return left.length === 0;
    }, 60_000);
    const series = await query(
      database,
      `select series, status, attempts, count(*)::int from delivery group by 1, 2, 3 order by 1, 3`,
    );
    const [order] = await query<{ recovered: number }>(database, `select recovered from webhook_recovery`);
    return { signal, recovered: order?.recovered ?? 0, series };
  }

  private async addDeadLetters(endpointId: string): Promise<void> {
    await query(
      this.db.database,
      `with event_row as (
         insert into event (id, merchant_id, environment, type, resource_id, data, sequence, body)
         select 'evt_' || n, merchant_id, environment, 'ping', 'x', '{}', 1000 + n, '{}'
           from webhook_endpoint cross join generate_series(1, $2::int) n where id = $1)
       insert into delivery (id, event_id, endpoint_id, merchant_id, environment, status, attempts, finished_at)
       select 'dlv_' || n, 'evt_' || n, id, merchant_id, environment, 'dead_letter', 6, now()
         from webhook_endpoint cross join generate_series(1, $2::int) n where id = $1`,
      [endpointId, DEAD_LETTERS],
    );
  }
}

let build: ServiceBuild;
let receiver: Receiver;
let lane: RecoveryLane;
beforeAll(async () => {
  build = await bundleService();
  receiver = await startReceiver((_request, response) => response.writeHead(204).end());
  lane = await RecoveryLane.open(build);
});
afterAll(async () => {
  await lane.close();
  await receiver.close();
});

it('kill -9 in the middle of a recovery: the next worker continues, and each dead letter is sent as one series [J-138]', async () => {
  const { signal, recovered, series } = await lane.recover(`http://127.0.0.1:${receiver.port}/hooks`);
  expect(signal).toBe('SIGKILL');
  expect(recovered).toBe(DEAD_LETTERS);
  expect(series).toEqual([
    { series: 1, status: 'dead_letter', attempts: 6, count: DEAD_LETTERS },
    { series: 2, status: 'delivered', attempts: 1, count: DEAD_LETTERS },
  ]);
  const events = receiver.requests.map(({ headers }) => headers['webhook-id']);
  expect(new Set(events).size).toBe(DEAD_LETTERS);
}, 180_000);
