import { eventually } from '../support/eventually.js';
import type { World } from '../support/world.js';
import { ENDPOINTS, type ErrorAnswer, type Page, WebhookApi } from './webhook-api.js';

interface ListedEvent {
  readonly id: string;
  readonly sequence: number;
}

let webhooks: WebhookApi;
let world: World;
beforeAll(async () => {
  webhooks = await WebhookApi.start();
  ({ world } = webhooks);
});
afterAll(() => webhooks.stop());

describe('events over HTTP', () => {
  it('are listed newest first, can be caught up in ascending order, and refuse unknown parameters', async () => {
    const { url } = await webhooks.receive();
    const { body: endpoint } = await webhooks.create({ url });
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) {
      ids.push((await world.api.post<{ event_id: string }>(`${ENDPOINTS}/${endpoint.id}/test`)).body.event_id);
    }
    const all = await eventually(async () => {
      const { body } = await world.api.get<Page<ListedEvent>>('/v1/events?event_type=ping');
      return ids.every((id) => body.data.some((event) => event.id === id)) ? body.data : null;
    });
    const [, second, third] = all;
    expect(all).toEqual(all.toSorted((a, b) => b.sequence - a.sequence));
    const since = await world.api.get<Page<ListedEvent>>(`/v1/events?limit=1&after_sequence=${third?.sequence}`);
    expect(since.body).toMatchObject({ has_more: true, next_cursor: second?.id, data: [{ id: second?.id }] });
    for (const filter of ['event_type=nope', 'after_sequence=-1', 'after_sequence=x', 'starting_after=evt_1', 'q=1']) {
      const answer = await world.api.get<ErrorAnswer>(`/v1/events?${filter}`);
      expect([answer.status, answer.body.error.param]).toEqual([400, filter.split('=')[0]]);
    }
    expect((await world.api.get('/v1/events/evt_unknown')).status).toBe(404);
  });
});
