import { eventually } from '../../test/support/eventually.js';
import { WebhookWorld } from '../../test/webhooks/webhook-world.js';
import { RelaySweep } from './relay-sweep.js';

it('relays at the start the events of a lost wake-up, and stops on request [K-145]', async () => {
  const world = await WebhookWorld.open();
  await world.record();
  const sweep = new RelaySweep(world.main.relay);
  sweep.start();
  await eventually(
    async () => (await world.query(`select from event where sequence = 1`)).length,
    (seen) => seen === 1,
  );
  await sweep.stop();
  await world.close();
});
