import { type OrderedReplay, replayTitle } from './replay-title.js';

const none: OrderedReplay = { verb: 'recover', filter: {}, endpointUrl: null, merchantName: null };

describe('the title of a replay job', () => {
  it.each<[string, Partial<OrderedReplay>]>([
    ['Recover deliveries', {}],
    ['Resend one delivery', { verb: 'resend', filter: { delivery_ids: ['dlv_1'] } }],
    ['Recover 12 selected deliveries', { filter: { delivery_ids: Array.from({ length: 12 }, String) } }],
    [
      'Recover dead letters of hook.shop.example since 24 Nov 2026, 09:14 UTC',
      {
        filter: { endpoint_id: 'we_1', status: 'dead_letter', created_gte: '2026-11-24T09:14:00.000Z' },
        endpointUrl: 'https://hook.shop.example/',
      },
    ],
    [
      'Recover dead letters without an answer of shop.example:8443/hooks',
      {
        filter: { endpoint_id: 'we_1', status: 'dead_letter', response: 'none' },
        endpointUrl: 'https://shop.example:8443/hooks?token=secret',
      },
    ],
    [
      'Resend delivered events with payment_intent.completed answered 2xx of Boreal Bikes before 1 Dec 2026, 00:00 UTC',
      {
        verb: 'resend',
        filter: {
          merchant_id: 'mer_1',
          status: 'delivered',
          event_type: 'payment_intent.completed',
          response: '2xx',
          created_lt: '2026-12-01T00:00:00.000Z',
        },
        merchantName: 'Boreal Bikes',
      },
    ],
    ['Recover held deliveries of evt_1', { filter: { status: 'held', event_id: 'evt_1' } }],
    [
      'Send missing events to shop.example/hooks',
      { verb: 'send_missing', filter: { endpoint_id: 'we_1' }, endpointUrl: 'https://shop.example/hooks' },
    ],
  ])('is "%s"', (title, ordered) => {
    expect(replayTitle({ ...none, ...ordered })).toBe(title);
  });
});
