import { createHmac } from 'node:crypto';
import { DemoReceiver } from './demo-receiver.js';

const SECRET = 'whsec_demo';
const BODY = JSON.stringify({
  id: 'evt_1',
  event_type: 'payment_intent.completed',
  data: { id: 'pi_1', status: 'completed' },
});

function signed(body: string, secret: string): string {
  const time = Math.floor(Date.now() / 1000);
  return `t=${time},v1=${createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')}`;
}

const post = (url: string, body: string, signature: string): Promise<Response> =>
  fetch(url, { method: 'POST', body, headers: { 'X-Webhook-Signature': signature } });

describe("the demo's receiver", () => {
  let receiver: DemoReceiver;

  beforeEach(async () => {
    receiver = await DemoReceiver.open();
    receiver.trust(SECRET);
  });

  afterEach(() => receiver.close());

  it('acknowledges a signed delivery and returns it', async () => {
    expect((await post(receiver.url, BODY, signed(BODY, SECRET))).status).toBe(204);
    const received = await receiver.waitFor('pi_1', 0);
    expect(received).toMatchObject({ verdict: { valid: true }, bytes: BODY.length, event: { id: 'evt_1' } });
  });

  it('refuses a delivery that it cannot verify, with the reason', async () => {
    const tampered = BODY.replace('evt_1', 'evt_2');
    expect((await post(receiver.url, tampered, signed(BODY, SECRET))).status).toBe(400);
    expect(await receiver.waitFor('pi_1', 0)).toMatchObject({
      verdict: { valid: false, reason: 'no signature matches the body' },
    });
  });

  it('stops waiting when no delivery about the resource arrives', async () => {
    await post(receiver.url, BODY, signed(BODY, SECRET));
    await post(receiver.url, 'not json', signed('not json', SECRET));
    expect(await receiver.waitFor('pi_2', 0)).toBeNull();
  });
});
