import { startWorld, type World } from '../support/world.js';
import { expectDemo } from './demo-run.js';

let world: World;
beforeAll(async () => {
  world = await startWorld({ networks: ['ethereum'] });
});
afterAll(() => world.stop());

// In a coin: `tokens.e2e-spec.ts`.
it('npm run demo sees a payment in a token through, from the intent to a verified webhook of its withdrawal', () =>
  expectDemo(world, 'ethereum', 'USDT'));
